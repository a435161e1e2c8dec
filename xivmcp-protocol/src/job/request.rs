//! The job that a plugin sends, and what can be checked of it without the host (R-JOB-1, R-JOB-2).

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::JobRequestError;
use crate::JsonText;
use crate::object::{Fields, NoObject, shown, text_of};

/// A job as it is sent to `StartJob`.
///
/// ```
/// use xivmcp_protocol::{JobRequest, JobStepRequest, JsonText};
///
/// let mut farm = JobStepRequest::new("myplugin_farm");
/// farm.args = Some(JsonText::parse(r#"{"minutes": 60}"#)?);
/// let job = JobRequest::new("Farm", [farm]);
/// assert_eq!(
///     serde_json::to_string(&job).unwrap(),
///     r#"{"name":"Farm","steps":[{"tool":"myplugin_farm","args":{"minutes": 60}}]}"#
/// );
/// # Ok::<(), xivmcp_protocol::JsonTextError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct JobRequest {
    /// What the player sees; needed, not blank. The host adds the plugin's name in brackets.
    pub name: String,
    /// What is to be done, in order; at least one.
    pub steps: Vec<JobStepRequest>,
}

/// One step of a job that is sent.
///
/// ```
/// use xivmcp_protocol::JobStepRequest;
///
/// let mut step = JobStepRequest::new("teleport");
/// step.note = Some("to the market".to_owned());
/// assert_eq!(serde_json::to_string(&step).unwrap(), r#"{"tool":"teleport","note":"to the market"}"#);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct JobStepRequest {
    /// What later steps call it in their placeholders. Absent or blank: the host numbers it (`s1`, `s2`, …).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool to call: one of the plugin's, of another plugin's, or of the host's.
    pub tool: String,
    /// Its arguments, passed on byte for byte but for placeholders in strings. Anything but an object counts as `{}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<JsonText>,
    /// A note for the job's log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl JobStepRequest {
    /// A step that calls `tool` without arguments.
    ///
    /// ```
    /// assert_eq!(xivmcp_protocol::JobStepRequest::new("teleport").args, None);
    /// ```
    pub fn new(tool: impl Into<String>) -> Self {
        Self { id: None, tool: tool.into(), args: None, note: None }
    }

    /// Reads an array of steps, as `update_job` brings it.
    ///
    /// # Errors
    ///
    /// The text is no JSON, no array, or one of its steps is not as it must be. The message names the field: `steps[0].tool`.
    ///
    /// ```
    /// use xivmcp_protocol::JobStepRequest;
    ///
    /// assert_eq!(JobStepRequest::parse_list(r#"[{"tool": "wait"}]"#)?.len(), 1);
    /// let error = JobStepRequest::parse_list(r#"[{"tool": 5}]"#).unwrap_err();
    /// assert_eq!(error.to_string(), "`steps[0].tool` must be text, not 5");
    /// # Ok::<(), xivmcp_protocol::JobRequestError>(())
    /// ```
    pub fn parse_list(json: &str) -> Result<Vec<Self>, JobRequestError> {
        read_steps(serde_json::from_str(json).map_err(|error| not_json(&error))?)
    }
}

impl JobRequest {
    /// A job of these steps. Nothing is checked; see [`check`](Self::check).
    ///
    /// ```
    /// # use xivmcp_protocol::JobRequest;
    /// assert!(JobRequest::new("Nothing to do", []).check().is_err());
    /// ```
    pub fn new(name: impl Into<String>, steps: impl IntoIterator<Item = JobStepRequest>) -> Self {
        Self { name: name.into(), steps: steps.into_iter().collect() }
    }

    /// Reads a job as the host does: unknown fields are ignored, null is absent, and an error names the field.
    ///
    /// # Errors
    ///
    /// The text is no JSON object, a needed field is missing, or one has the wrong type.
    ///
    /// ```
    /// use xivmcp_protocol::JobRequest;
    ///
    /// let error = JobRequest::parse(r#"{"name": "Farm", "steps": [{"tool": "a_tool"}, {"note": "x"}]}"#).unwrap_err();
    /// assert_eq!(error.to_string(), "`steps[1].tool` is missing");
    /// ```
    pub fn parse(json: &str) -> Result<Self, JobRequestError> {
        let fields = read_fields(json, "the job")?;
        let name = read_text(present(&fields, "name"), || "name".to_owned())?.ok_or_else(|| missing("name"))?;
        let steps = read_steps(present(&fields, "steps").ok_or_else(|| missing("steps"))?)?;
        Ok(Self { name, steps })
    }

    /// Checks all that can be known without the host, and numbers the steps that have no id.
    ///
    /// # Errors
    ///
    /// `name` is blank, there are no steps, a step's `tool` is blank, or two steps have the same id (R-JOB-1, R-JOB-2).
    ///
    /// ```
    /// use xivmcp_protocol::{JobRequest, JobStepRequest};
    ///
    /// let job = JobRequest::new("Shop", [JobStepRequest::new("a_tool"), JobStepRequest::new("b_tool")]).check()?;
    /// assert_eq!(job.steps[1].id, "s2");
    /// assert_eq!(job.steps[1].args.get(), "{}");
    /// # Ok::<(), xivmcp_protocol::JobRequestError>(())
    /// ```
    pub fn check(&self) -> Result<CheckedJob, JobRequestError> {
        if self.name.trim().is_empty() {
            return Err(JobRequestError::Blank { field: "name".to_owned() });
        }
        if self.steps.is_empty() {
            return Err(JobRequestError::NoSteps);
        }
        Ok(CheckedJob { name: self.name.clone(), steps: number_steps::<&str>(&[], &self.steps)? })
    }
}

/// A job whose steps all have a tool, arguments and an id of their own. Whether the tools exist only the host can say.
///
/// ```
/// use xivmcp_protocol::CheckedJob;
///
/// let job = CheckedJob::parse(r#"{"name": "Shop", "steps": [{"tool": "a_tool", "args": 5}]}"#)?;
/// assert_eq!((job.steps[0].id.as_str(), job.steps[0].args.get()), ("s1", "{}"));
/// # Ok::<(), xivmcp_protocol::JobRequestError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckedJob {
    /// The name as it was sent, not blank.
    pub name: String,
    /// The steps, at least one.
    pub steps: Vec<CheckedStep>,
}

impl CheckedJob {
    /// [`JobRequest::parse`] and [`JobRequest::check`] in one.
    ///
    /// # Errors
    ///
    /// As those two have them.
    ///
    /// ```
    /// # use xivmcp_protocol::CheckedJob;
    /// assert!(CheckedJob::parse(r#"{"name": "Shop", "steps": []}"#).is_err());
    /// ```
    pub fn parse(json: &str) -> Result<Self, JobRequestError> {
        JobRequest::parse(json)?.check()
    }
}

/// A step that has all it needs to be run.
///
/// ```
/// use xivmcp_protocol::{JobStepRequest, job::number_steps};
///
/// let step = &number_steps::<&str>(&[], &[JobStepRequest::new("a_tool")])?[0];
/// assert_eq!((step.id.as_str(), step.tool.as_str()), ("s1", "a_tool"));
/// # Ok::<(), xivmcp_protocol::JobRequestError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckedStep {
    /// Its id, which no other step of the job has.
    pub id: String,
    /// The tool, not blank.
    pub tool: String,
    /// An object, as it was sent, or `{}`.
    pub args: JsonText,
    /// The note, if there is one.
    pub note: Option<String>,
}

/// Checks steps, and gives an id to those that have none, for a job that already has the steps `existing`.
///
/// In a new job those without an id are `s1`, `s2`, …, and only they count. Steps that are added to a job go on from the
/// number of steps that it has: in a job of three, the first is `s4`. An id that is blank counts as absent. Ids compare exactly.
///
/// # Errors
///
/// A blank `tool`, or an id that is there already, whether it was sent or given here.
///
/// ```
/// use xivmcp_protocol::{JobStepRequest, job::number_steps};
///
/// let added = number_steps(&["farm", "s1"], &[JobStepRequest::new("a_tool")])?;
/// assert_eq!(added[0].id, "s3");
/// # Ok::<(), xivmcp_protocol::JobRequestError>(())
/// ```
pub fn number_steps<S: AsRef<str>>(
    existing: &[S],
    steps: &[JobStepRequest],
) -> Result<Vec<CheckedStep>, JobRequestError> {
    // Who has an id: a step of the job, or the one with that index among the new ones.
    let mut holders: HashMap<String, Option<usize>> =
        existing.iter().map(|id| (id.as_ref().to_owned(), None)).collect();
    let mut number = existing.len();
    let mut checked = Vec::with_capacity(steps.len());
    for (index, step) in steps.iter().enumerate() {
        if step.tool.trim().is_empty() {
            return Err(JobRequestError::Blank { field: format!("steps[{index}].tool") });
        }
        let own = step.id.as_ref().filter(|id| !id.trim().is_empty());
        let id = own.cloned().unwrap_or_else(|| {
            number += 1;
            format!("s{number}")
        });
        if let Some(holder) = holders.insert(id.clone(), Some(index)) {
            let holder = holder.map_or_else(|| "a step of the job".to_owned(), |index| format!("steps[{index}]"));
            let step = format!("steps[{index}]");
            return Err(match own {
                Some(_) => JobRequestError::IdUsedTwice { step, id, holder },
                None => JobRequestError::NumberTaken { step, id, holder },
            });
        }
        let args = step.args.clone().filter(|args| args.get().starts_with('{'));
        let args = args.unwrap_or_else(|| JsonText::from(&serde_json::Value::Object(serde_json::Map::new())));
        checked.push(CheckedStep { id, tool: step.tool.clone(), args, note: step.note.clone() });
    }
    Ok(checked)
}

fn missing(field: impl Into<String>) -> JobRequestError {
    JobRequestError::Missing { field: field.into() }
}

fn not_json(error: &serde_json::Error) -> JobRequestError {
    JobRequestError::NotJson { reason: error.to_string() }
}

fn wrong_type(field: impl Into<String>, expected: &'static str, value: &str) -> JobRequestError {
    JobRequestError::WrongType { field: field.into(), expected, value: shown(value) }
}

fn read_fields<'a>(json: &'a str, field: &str) -> Result<Fields<'a>, JobRequestError> {
    Fields::read(json).map_err(|error| match error {
        NoObject::NotJson(error) => not_json(&error),
        NoObject::OtherValue => wrong_type(field, "an object", json.trim()),
    })
}

/// A field's value, if it is there and not null.
fn present<'a>(fields: &Fields<'a>, name: &str) -> Option<&'a RawValue> {
    fields.get(name).filter(|value| value.get() != "null")
}

fn read_text(value: Option<&RawValue>, field: impl FnOnce() -> String) -> Result<Option<String>, JobRequestError> {
    let Some(value) = value else { return Ok(None) };
    text_of(value).map(Some).ok_or_else(|| wrong_type(field(), "text", value.get()))
}

fn read_steps(value: &RawValue) -> Result<Vec<JobStepRequest>, JobRequestError> {
    if !value.get().starts_with('[') {
        return Err(wrong_type("steps", "an array", value.get()));
    }
    let steps: Vec<&RawValue> = serde_json::from_str(value.get()).map_err(|error| not_json(&error))?;
    steps.into_iter().enumerate().map(|(index, step)| read_step(index, step.get())).collect()
}

fn read_step(index: usize, json: &str) -> Result<JobStepRequest, JobRequestError> {
    let fields = read_fields(json, &format!("steps[{index}]"))?;
    let text = |name: &str| read_text(present(&fields, name), || format!("steps[{index}].{name}"));
    Ok(JobStepRequest {
        id: text("id")?,
        tool: text("tool")?.ok_or_else(|| missing(format!("steps[{index}].tool")))?,
        args: present(&fields, "args").map(|args| JsonText::from(args.to_owned())),
        note: text("note")?,
    })
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
