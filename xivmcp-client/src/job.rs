//! Putting a job together: [`McpJob`], its steps, and references from one step's arguments to another one's result.

use std::collections::HashMap;
use std::fmt;

use serde::Serialize;
use xivmcp_protocol::placeholder::{Segment, parse, texts_with_braces};
use xivmcp_protocol::{
    JobRequest, JobRequestError, JobStepRequest, JsonKind, JsonText, Placeholder, ToolName, ToolNameError,
};

use crate::typed::result::to_exact_json;

/// Why a job cannot be sent. Steps are named by their id, which is `s1`, `s2`, … for those that have none of their own.
///
/// ```
/// use xivmcp_client::{JobError, McpJob, McpJobStep};
///
/// let job = McpJob::new("Farm").step(McpJobStep::new("Farm!"));
/// assert!(matches!(job.check(), Err(JobError::Tool { .. })));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// The name is blank, there are no steps, or two steps have the same id.
    #[error("{0}")]
    Request(#[source] JobRequestError),
    /// A tool's name has another form than tool names have.
    #[error("step `{step}`: {error}")]
    Tool {
        /// The step's id.
        step: String,
        /// What is wrong with the name.
        #[source]
        error: ToolNameError,
    },
    /// Arguments that JSON cannot say, or that are no object.
    #[error("step `{step}`: its arguments must be a JSON object: {reason}")]
    Args {
        /// The step's id.
        step: String,
        /// Why they are none.
        reason: String,
    },
    /// A placeholder names a step that the job does not have.
    #[error("step `{step}`: `{placeholder}` names a step that this job does not have; it has {}", .known.join(", "))]
    UnknownStep {
        /// The step's id.
        step: String,
        /// The placeholder, as it stands in the arguments.
        placeholder: String,
        /// The ids of the job's steps.
        known: Vec<String>,
    },
    /// A placeholder names a step that has no result yet when it is needed.
    #[error("step `{step}`: `{placeholder}` names a step that does not come before it")]
    LaterStep {
        /// The step's id.
        step: String,
        /// The placeholder, as it stands in the arguments.
        placeholder: String,
    },
    /// The arguments hold the beginning of a placeholder that is none, and would be sent as it stands.
    #[error(
        "step `{step}`: `{text}` is no placeholder: write `{{{{id.path}}}}`, the step's id of A-Z a-z 0-9 _ and -, the \
         path of one or more characters but `}}`"
    )]
    Placeholder {
        /// The step's id.
        step: String,
        /// The text where it begins.
        text: String,
    },
}

/// One step of a job: a tool, its arguments, an id for later steps to refer to, and a note for the job's log.
///
/// ```
/// use serde_json::json;
/// use xivmcp_client::{McpJob, McpJobStep};
///
/// let step = McpJobStep::new("navigate_to")
///     .args(json!({ "place_name": "Limsa Lominsa" }))
///     .id("go")
///     .note("to the market board");
/// let sent = serde_json::to_value(McpJob::new("Shop").step(step).to_request()?).unwrap();
/// assert_eq!(sent["steps"][0]["id"], "go");
/// # Ok::<(), xivmcp_client::JobError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "a step does nothing before it is added to a job"]
pub struct McpJobStep {
    request: JobStepRequest,
    /// Why the arguments cannot be sent. Told when the job is checked, so that steps can be chained.
    args_error: Option<String>,
}

impl McpJobStep {
    /// A step that calls `tool`, without arguments.
    ///
    /// ```
    /// use xivmcp_client::{McpJob, McpJobStep};
    ///
    /// let job = McpJob::new("Farm").step(McpJobStep::new("myplugin_farm"));
    /// assert_eq!(job.to_request()?.steps[0].args, None);
    /// # Ok::<(), xivmcp_client::JobError>(())
    /// ```
    pub fn new(tool: impl Into<String>) -> Self {
        Self { request: JobStepRequest::new(tool), args_error: None }
    }

    /// The arguments: anything that serializes as an object, such as `json!({…})`. They are sent exactly as they are;
    /// names of struct fields are not changed, for the host's own tools use `snake_case`. What JSON cannot say (NaN, a
    /// map's key that is no text) is an error when the job is checked.
    ///
    /// ```
    /// use serde_json::json;
    /// use xivmcp_client::{JobError, McpJob, McpJobStep};
    ///
    /// let step = McpJobStep::new("navigate_to").args(json!({ "place_name": "Gridania" }));
    /// let sent = McpJob::new("Go").step(step).to_request()?;
    /// assert_eq!(sent.steps[0].args.as_ref().unwrap().get(), r#"{"place_name":"Gridania"}"#);
    ///
    /// let no_object = McpJobStep::new("navigate_to").args("Gridania");
    /// assert!(matches!(McpJob::new("Go").step(no_object).check(), Err(JobError::Args { .. })));
    /// # Ok::<(), JobError>(())
    /// ```
    pub fn args(mut self, args: impl Serialize) -> Self {
        self.args_error = None;
        // Not serde_json's own writing, which makes null of NaN without a word.
        let args = to_exact_json(&args).and_then(|json| JsonText::parse(json).map_err(|error| error.to_string()));
        match args {
            Ok(args) if args.kind() == JsonKind::Null => self.request.args = None,
            Ok(args) if args.kind() == JsonKind::Object => self.request.args = Some(args),
            Ok(args) => self.args_error = Some(format!("they are {}", args.kind())),
            Err(reason) => self.args_error = Some(reason),
        }
        self
    }

    /// An id of its own, instead of `s1`, `s2`, …
    ///
    /// ```
    /// use xivmcp_client::{McpJob, McpJobStep};
    ///
    /// let mut job = McpJob::new("Farm");
    /// let farm = job.add(McpJobStep::new("myplugin_farm").id("farm"));
    /// assert_eq!(farm.result("kills"), "{{farm.kills}}");
    /// ```
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.request.id = Some(id.into());
        self
    }

    /// A note for the job's log.
    ///
    /// ```
    /// use xivmcp_client::{McpJob, McpJobStep};
    ///
    /// let step = McpJobStep::new("myplugin_farm").note("until the bags are full");
    /// let sent = McpJob::new("Farm").step(step).to_request()?;
    /// assert_eq!(sent.steps[0].note.as_deref(), Some("until the bags are full"));
    /// # Ok::<(), xivmcp_client::JobError>(())
    /// ```
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.request.note = Some(note.into());
        self
    }
}

/// A job to be started: a name, and steps that run one after the other.
///
/// ```
/// use serde_json::json;
/// use xivmcp_client::{McpJob, McpJobStep};
///
/// let simple = McpJob::new("Farm").step(McpJobStep::new("myplugin_farm"));
/// assert!(simple.check().is_ok());
///
/// let mut job = McpJob::new("Farm and sell");
/// let farm = job.add(McpJobStep::new("myplugin_farm"));
/// job.add(McpJobStep::new("myplugin_sell").args(json!({ "count": farm.result("kills") })));
/// assert_eq!(job.to_request()?.steps[1].args.as_ref().unwrap().get(), r#"{"count":"{{s1.kills}}"}"#);
/// # Ok::<(), xivmcp_client::JobError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "a job does nothing before it is started"]
pub struct McpJob {
    name: String,
    steps: Vec<McpJobStep>,
}

impl McpJob {
    /// A job without steps. The host adds the plugin's display name.
    ///
    /// ```
    /// use xivmcp_client::{McpJob, McpJobStep};
    ///
    /// let job = McpJob::new("Farm").step(McpJobStep::new("myplugin_farm"));
    /// assert_eq!(job.to_request()?.name, "Farm");
    /// assert!(McpJob::new(" ").step(McpJobStep::new("myplugin_farm")).check().is_err()); // a name is needed
    /// # Ok::<(), xivmcp_client::JobError>(())
    /// ```
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), steps: Vec::new() }
    }

    /// The job with this step at its end.
    ///
    /// ```
    /// use xivmcp_client::{McpJob, McpJobStep};
    ///
    /// let job = McpJob::new("Farm").step(McpJobStep::new("myplugin_farm"));
    /// assert!(job.check().is_ok());
    /// ```
    pub fn step(mut self, step: McpJobStep) -> Self {
        self.steps.push(step);
        self
    }

    /// The job with these steps at its end.
    ///
    /// ```
    /// use xivmcp_client::{McpJob, McpJobStep};
    ///
    /// let tools = ["myplugin_farm", "myplugin_sell"];
    /// let job = McpJob::new("Farm").steps(tools.map(McpJobStep::new));
    /// assert!(job.check().is_ok());
    /// ```
    pub fn steps(mut self, steps: impl IntoIterator<Item = McpJobStep>) -> Self {
        self.steps.extend(steps);
        self
    }

    /// Adds a step at the end, and gives a reference that later steps can use its result by.
    ///
    /// ```
    /// use xivmcp_client::{McpJob, McpJobStep};
    ///
    /// let mut job = McpJob::new("Farm");
    /// let farm = job.add(McpJobStep::new("myplugin_farm"));
    /// assert_eq!(farm.result("kills"), "{{s1.kills}}");
    /// ```
    pub fn add(&mut self, step: McpJobStep) -> StepRef {
        self.steps.push(step);
        StepRef { id: self.ids().pop().unwrap_or_default() }
    }

    /// The ids of the steps, as the host gives them: `s1`, `s2`, … to those that have none, counting only those
    /// (R-JOB-2).
    fn ids(&self) -> Vec<String> {
        let mut number = 0;
        let ids = self.steps.iter().map(|step| {
            let own = step.request.id.as_ref().filter(|id| !id.trim().is_empty());
            own.cloned().unwrap_or_else(|| {
                number += 1;
                format!("s{number}")
            })
        });
        ids.collect()
    }

    /// Checks all that can be known without the host. Starting the job does it too.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong.
    ///
    /// ```
    /// use xivmcp_client::McpJob;
    ///
    /// assert_eq!(
    ///     McpJob::new("Farm").check().unwrap_err().to_string(),
    ///     "`steps` is empty: a job needs at least one step",
    /// );
    /// ```
    pub fn check(&self) -> Result<(), JobError> {
        self.to_request().map(drop)
    }

    /// What is sent to the host.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check).
    ///
    /// ```
    /// use xivmcp_client::{McpJob, McpJobStep};
    ///
    /// let job = McpJob::new("Farm").step(McpJobStep::new("myplugin_farm"));
    /// assert_eq!(job.to_request()?.steps[0].tool, "myplugin_farm");
    /// # Ok::<(), xivmcp_client::JobError>(())
    /// ```
    pub fn to_request(&self) -> Result<JobRequest, JobError> {
        let request = JobRequest::new(self.name.clone(), self.steps.iter().map(|step| step.request.clone()));
        request.check().map_err(JobError::Request)?;
        let ids = self.ids();
        let places: HashMap<&str, usize> = ids.iter().enumerate().map(|(place, id)| (id.as_str(), place)).collect();
        for (place, step) in self.steps.iter().enumerate() {
            let id = &ids[place];
            ToolName::parse(&step.request.tool).map_err(|error| JobError::Tool { step: id.clone(), error })?;
            if let Some(reason) = &step.args_error {
                return Err(JobError::Args { step: id.clone(), reason: reason.clone() });
            }
            for text in step.request.args.iter().flat_map(texts_with_braces) {
                check_placeholders(&text, id, place, &places, &ids)?;
            }
        }
        Ok(request)
    }
}

fn check_placeholders(
    text: &str,
    step: &str,
    place: usize,
    places: &HashMap<&str, usize>,
    ids: &[String],
) -> Result<(), JobError> {
    for segment in parse(text) {
        match segment {
            Segment::Placeholder(found) => check_reference(&found, step, place, places, ids)?,
            // A reference with an unreadable path is no placeholder, and would silently stay in the text.
            Segment::Literal(literal) => {
                if let Some(at) = ids.iter().find_map(|id| literal.find(&format!("{{{{{id}."))) {
                    let text = xivmcp_protocol::cut_utf16(&literal[at..], 100).to_owned();
                    return Err(JobError::Placeholder { step: step.to_owned(), text });
                }
            }
        }
    }
    Ok(())
}

fn check_reference(
    placeholder: &Placeholder,
    step: &str,
    place: usize,
    places: &HashMap<&str, usize>,
    ids: &[String],
) -> Result<(), JobError> {
    let (step, text) = (step.to_owned(), placeholder.to_string());
    match places.get(placeholder.step()) {
        Some(referred) if *referred < place => Ok(()),
        Some(_) => Err(JobError::LaterStep { step, placeholder: text }),
        None => Err(JobError::UnknownStep { step, placeholder: text, known: ids.to_vec() }),
    }
}

/// A step of a job, for the arguments of later ones. Made by [`McpJob::add`].
///
/// ```
/// use serde_json::json;
/// use xivmcp_client::{McpJob, McpJobStep};
///
/// let mut job = McpJob::new("Farm and sell");
/// let farm = job.add(McpJobStep::new("myplugin_farm"));
/// job.add(McpJobStep::new("myplugin_sell").args(json!({ "count": farm.result("kills") })));
/// assert!(job.check().is_ok());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct StepRef {
    id: String,
}

impl StepRef {
    /// The step's id.
    ///
    /// ```
    /// use xivmcp_client::{McpJob, McpJobStep};
    ///
    /// let mut job = McpJob::new("Farm");
    /// assert_eq!(job.add(McpJobStep::new("myplugin_farm")).id(), "s1");
    /// assert_eq!(job.add(McpJobStep::new("myplugin_sell").id("sell")).id(), "sell");
    /// ```
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The placeholder for a part of the step's result: keys and indexes with dots between them, such as
    /// `zones.0.kills`. Alone in a string it becomes the value with its type; inside a longer one, text.
    ///
    /// A path that cannot be read is an error when the job is checked.
    ///
    /// ```
    /// use xivmcp_client::{McpJob, McpJobStep};
    ///
    /// let farm = McpJob::new("Farm").add(McpJobStep::new("myplugin_farm"));
    /// assert_eq!(farm.result("kills"), "{{s1.kills}}");
    /// ```
    #[must_use]
    pub fn result(&self, path: impl fmt::Display) -> String {
        format!("{{{{{}.{path}}}}}", self.id)
    }
}
