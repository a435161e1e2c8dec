//! A job as the host describes it.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::{JobState, StepState};
use crate::JsonText;

/// A job, as `StartJob`, `GetJob` and `ListJobs` give it. What is absent is left out; fields that are not known are kept.
///
/// ```
/// use xivmcp_protocol::{Job, JobState};
///
/// let json = r#"{"id":"0a1b2c3d","name":"Farm (My Plugin)","state":"running","progress":"1/3",
///     "currentStep":{"id":"s2","tool":"myplugin_farm","state":"running"},
///     "created":"2026-01-01T00:00:00Z","updated":"2026-01-01T00:10:00Z","mood":"fine"}"#;
/// let job: Job = serde_json::from_str(json)?;
/// assert_eq!(job.state, JobState::Running);
/// assert_eq!(job.progress_counts().unwrap().total, 3);
/// assert_eq!(job.extra["mood"], "fine");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Job {
    /// 8 hex digits.
    pub id: String,
    /// The name it was started with, and the plugin's display name in brackets.
    pub name: String,
    /// Where it stands.
    pub state: JobState,
    /// Why it stands there: which step failed and how, for instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How many steps are done or skipped, of all: `1/3`. See [`progress_counts`](Self::progress_counts).
    pub progress: String,
    /// The first step that is neither done nor skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_step: Option<CurrentStep>,
    /// When it was started: UTC, ISO 8601.
    pub created: String,
    /// When it last changed: UTC, ISO 8601.
    pub updated: String,
    /// Fields that this version does not know, written back as they came (numbers as `serde_json` holds them).
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Job {
    /// A job without a reason and a current step; times are UTC, ISO 8601.
    ///
    /// ```
    /// use xivmcp_protocol::{Job, JobProgress, JobState};
    ///
    /// let now = "2026-01-01T00:00:00Z";
    /// let job = Job::new("0a1b2c3d", "Farm (My Plugin)", JobState::Queued, JobProgress::new(0, 3), now, now);
    /// assert_eq!(
    ///     serde_json::to_string(&job)?,
    ///     r#"{"id":"0a1b2c3d","name":"Farm (My Plugin)","state":"queued","progress":"0/3","#.to_owned()
    ///         + r#""created":"2026-01-01T00:00:00Z","updated":"2026-01-01T00:00:00Z"}"#
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        state: JobState,
        progress: JobProgress,
        created: impl Into<String>,
        updated: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            state,
            reason: None,
            progress: progress.to_string(),
            current_step: None,
            created: created.into(),
            updated: updated.into(),
            extra: Map::new(),
        }
    }

    /// The numbers in `progress`; none if it has another form.
    ///
    /// ```
    /// # use xivmcp_protocol::{Job, JobProgress, JobState};
    /// let job = Job::new("0a1b2c3d", "Farm", JobState::Running, JobProgress::new(1, 3), "", "");
    /// assert_eq!(job.progress_counts(), Some(JobProgress::new(1, 3)));
    /// ```
    #[must_use]
    pub fn progress_counts(&self) -> Option<JobProgress> {
        JobProgress::parse(&self.progress)
    }
}

/// How far a job is.
///
/// ```
/// use xivmcp_protocol::JobProgress;
///
/// let progress = JobProgress::parse("1/3").unwrap();
/// assert_eq!((progress.done, progress.total), (1, 3));
/// assert_eq!(progress.to_string(), "1/3");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "the text has these two numbers")]
pub struct JobProgress {
    /// Steps that are done or skipped.
    pub done: u32,
    /// All steps.
    pub total: u32,
}

impl JobProgress {
    /// `done` of `total`.
    ///
    /// ```
    /// # use xivmcp_protocol::JobProgress;
    /// assert_eq!(JobProgress::new(1, 3).to_string(), "1/3");
    /// ```
    #[must_use]
    pub const fn new(done: u32, total: u32) -> Self {
        Self { done, total }
    }

    /// Reads `done/total`; none if the text is anything else.
    ///
    /// ```
    /// # use xivmcp_protocol::JobProgress;
    /// assert_eq!(JobProgress::parse("half"), None);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| {
            // `parse` alone would let a sign pass.
            if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
        };
        let (done, total) = text.split_once('/')?;
        Some(Self { done: number(done)?, total: number(total)? })
    }
}

impl std::fmt::Display for JobProgress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.done, self.total)
    }
}

/// The step that a job is at.
///
/// ```
/// use xivmcp_protocol::{CurrentStep, StepState};
///
/// let step = CurrentStep::new("s2", "myplugin_farm", StepState::Queued);
/// assert_eq!(serde_json::to_string(&step)?, r#"{"id":"s2","tool":"myplugin_farm","state":"queued"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CurrentStep {
    /// Its id.
    pub id: String,
    /// The tool that it calls.
    pub tool: String,
    /// Where it stands.
    pub state: StepState,
    /// Since when it runs: UTC, ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// What it failed with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl CurrentStep {
    /// A step that does not run and did not fail.
    ///
    /// ```
    /// # use xivmcp_protocol::{CurrentStep, StepState};
    /// assert_eq!(CurrentStep::new("s1", "wait", StepState::Queued).since, None);
    /// ```
    pub fn new(id: impl Into<String>, tool: impl Into<String>, state: StepState) -> Self {
        Self { id: id.into(), tool: tool.into(), state, since: None, error: None, extra: Map::new() }
    }
}

/// A job with all its steps and its log, as the assistant's `get_job` shows it.
///
/// ```
/// use xivmcp_protocol::{Job, JobDescription, JobProgress, JobState, JobStep, JsonText, StepState};
///
/// let job = Job::new("0a1b2c3d", "Farm", JobState::Queued, JobProgress::new(0, 1), "", "");
/// let step = JobStep::new("s1", "myplugin_farm", StepState::Queued, JsonText::parse("{}")?);
/// let description = JobDescription::new(job, [step]);
/// let json = serde_json::to_value(&description).unwrap();
/// assert_eq!(json["steps"][0]["tool"], "myplugin_farm");
/// # Ok::<(), xivmcp_protocol::JsonTextError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct JobDescription {
    /// The job itself; its fields stand beside the others.
    #[serde(flatten)]
    pub job: Job,
    /// All steps, in order.
    pub steps: Vec<JobStep>,
    /// The last 200 lines of the log, `HH:mm:ss text`, the oldest first (R-JOB-10).
    pub log: Vec<String>,
}

impl JobDescription {
    /// A job with these steps and nothing in its log yet.
    ///
    /// ```
    /// # use xivmcp_protocol::{Job, JobDescription, JobProgress, JobState};
    /// let job = Job::new("0a1b2c3d", "Farm", JobState::Queued, JobProgress::new(0, 1), "", "");
    /// assert!(JobDescription::new(job, []).log.is_empty());
    /// ```
    pub fn new(job: Job, steps: impl IntoIterator<Item = JobStep>) -> Self {
        Self { job, steps: steps.into_iter().collect(), log: Vec::new() }
    }
}

/// A step in a [`JobDescription`].
///
/// ```
/// use xivmcp_protocol::{JobStep, JsonText, StepState};
///
/// let step: JobStep = serde_json::from_str(
///     r#"{"id":"s1","tool":"wait","state":"done","args":{"seconds": 1.50},"result":null,"attempts":1}"#,
/// )?;
/// assert_eq!(step.args.get(), r#"{"seconds": 1.50}"#);
/// assert_eq!(step.result, Some(JsonText::null()));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct JobStep {
    /// Its id.
    pub id: String,
    /// The tool that it calls.
    pub tool: String,
    /// The note it was sent with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Where it stands.
    pub state: StepState,
    /// Its arguments as they were sent, with their placeholders.
    pub args: JsonText,
    /// What the tool gave; a result that is null is there, as null. Over 20,000 characters it is cut text (R-JOB-11).
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub result: Option<JsonText>,
    /// What it failed with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How often it was begun.
    pub attempts: u32,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl JobStep {
    /// A step that was not begun yet.
    ///
    /// ```
    /// # use xivmcp_protocol::{JobStep, JsonText, StepState};
    /// assert_eq!(JobStep::new("s1", "wait", StepState::Queued, JsonText::parse("{}")?).attempts, 0);
    /// # Ok::<(), xivmcp_protocol::JsonTextError>(())
    /// ```
    pub fn new(id: impl Into<String>, tool: impl Into<String>, state: StepState, args: JsonText) -> Self {
        Self {
            id: id.into(),
            tool: tool.into(),
            note: None,
            state,
            args,
            result: None,
            error: None,
            attempts: 0,
            extra: Map::new(),
        }
    }
}

/// Keeps a `null` apart from nothing at all.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<JsonText>, D::Error> {
    JsonText::deserialize(deserializer).map(Some)
}

/// What `StartJob` and `GetJob` reply.
///
/// ```
/// use xivmcp_protocol::{EnvelopeError, JobReply, Reply};
///
/// let refused = Reply::<JobReply>::parse(r#"{"ok":false,"error":"no job 0a1b2c3d"}"#);
/// assert!(matches!(refused, Err(EnvelopeError::Refused(_))));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct JobReply {
    /// The job.
    pub job: Job,
}

impl JobReply {
    /// A reply with that job.
    ///
    /// ```
    /// # use xivmcp_protocol::{Job, JobProgress, JobReply, JobState};
    /// let job = Job::new("0a1b2c3d", "Farm", JobState::Queued, JobProgress::new(0, 1), "", "");
    /// assert_eq!(JobReply::new(job).job.id, "0a1b2c3d");
    /// ```
    #[must_use]
    pub const fn new(job: Job) -> Self {
        Self { job }
    }
}

/// What `ListJobs` replies: the plugin's own jobs, the newest first.
///
/// ```
/// use xivmcp_protocol::{JobsReply, Reply};
///
/// assert!(Reply::<JobsReply>::parse(r#"{"ok":true,"jobs":[]}"#).unwrap().jobs.is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct JobsReply {
    /// The jobs.
    pub jobs: Vec<Job>,
}

impl JobsReply {
    /// A reply with these jobs.
    ///
    /// ```
    /// # use xivmcp_protocol::JobsReply;
    /// assert!(JobsReply::new([]).jobs.is_empty());
    /// ```
    pub fn new(jobs: impl IntoIterator<Item = Job>) -> Self {
        Self { jobs: jobs.into_iter().collect() }
    }
}

#[cfg(test)]
#[path = "description_tests.rs"]
mod tests;
