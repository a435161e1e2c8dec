//! What the assistant sees and does beside calling plugins' tools: the list of tools (R-CALL-12), and the job tools.

use serde::{Deserialize, Serialize};
use xivmcp_protocol::{CheckedJob, JobReply, JobsReply, JsonText};

use super::builtin::catalogue;
use super::call::Asker;
use super::registry::Tool;
use super::time::Time;
use super::views::ListedTool;
use super::{Core, JobControl};

/// The schema of the host's own tools, whose real ones the file does not have.
const ANY_ARGUMENTS: &str = r#"{"type":"object"}"#;

impl Core {
    /// What tools/list offers: plugins' tools, and with `all` the host's own before them.
    pub(crate) fn assistant_tools(&self, all: bool) -> Vec<ListedTool> {
        let own = catalogue().tools.iter().filter(|tool| all && self.why_not_offered(tool).is_none()).map(|tool| {
            ListedTool {
                name: tool.name.clone(),
                plugin: None,
                plugin_name: None,
                description: format!("XIV MCP's own tool {}.", tool.name),
                read_only: tool.read_only,
                destructive: false,
                input_schema: JsonText::parse(ANY_ARGUMENTS).unwrap_or_else(|_| JsonText::null()),
            }
        });
        let plugins = self.registry.all().filter(|tool| self.is_listed(tool)).map(|tool| ListedTool {
            name: tool.name().to_owned(),
            plugin: Some(self.plugins.spelling(&tool.owner).to_owned()),
            plugin_name: Some(self.plugins.display_name(&tool.owner).to_owned()),
            description: tool.definition.description().to_owned(),
            read_only: tool.definition.is_read_only(),
            destructive: tool.definition.is_destructive(),
            input_schema: tool.definition.input_schema().clone(),
        });
        own.chain(plugins).collect()
    }

    fn is_listed(&self, tool: &Tool) -> bool {
        let policy = self.policies.get(&tool.owner_key);
        self.plugins.is_loaded(&tool.owner) && policy.enabled && !policy.awaiting_consent
    }

    /// The job tools. Jobs are named by `id` (or `job`, or `name`): an id, or a job's name.
    pub(super) fn run_job_tool(
        &mut self,
        now: Time,
        tool: &str,
        args: &JsonText,
        asker: &Asker,
    ) -> Result<JsonText, String> {
        match tool {
            "start_job" => {
                let job = CheckedJob::parse(args.get()).map_err(|error| error.to_string())?;
                let order = self.start_job(now, asker.clone(), job)?;
                json(&JobReply::new(self.jobs.describe(order)))
            }
            "list_jobs" => json(&JobsReply::new(self.all_jobs())),
            "get_job" => {
                let args = JobArgs::read(args)?;
                let job =
                    self.job(args.job()?).ok_or_else(|| format!("there is no job \"{}\"", args.job().unwrap_or("")))?;
                json(&serde_json::json!({ "job": job }))
            }
            "update_job" => {
                let args = JobArgs::read(args)?;
                let action = args.action.as_deref().ok_or("`action` is missing")?;
                let job = self.update_job(now, args.job()?, action, args.steps.as_ref(), args.resume)?;
                json(&serde_json::json!({ "job": job }))
            }
            "pause_job" => self.control_tool(now, args, JobControl::Pause),
            "resume_job" => self.control_tool(now, args, JobControl::Resume),
            "cancel_job" => self.control_tool(now, args, JobControl::Cancel),
            _ => Ok(JsonText::from(serde_json::json!({}))),
        }
    }

    fn control_tool(&mut self, now: Time, args: &JsonText, control: JobControl) -> Result<JsonText, String> {
        let args = JobArgs::read(args)?;
        self.control_job(now, args.job()?, control)?;
        json(&serde_json::json!({ "job": self.job(args.job()?).map(|whole| whole.job) }))
    }
}

/// The arguments of the job tools.
#[derive(Debug, Deserialize)]
struct JobArgs {
    id: Option<String>,
    job: Option<String>,
    name: Option<String>,
    action: Option<String>,
    steps: Option<JsonText>,
    #[serde(default)]
    resume: bool,
}

impl JobArgs {
    fn read(args: &JsonText) -> Result<Self, String> {
        args.read().map_err(|error| format!("the arguments cannot be read: {error}"))
    }

    fn job(&self) -> Result<&str, String> {
        let given = self.id.as_deref().or(self.job.as_deref()).or(self.name.as_deref());
        given.ok_or_else(|| "`id` is missing: the job's id or name".to_owned())
    }
}

fn json<T: Serialize>(value: &T) -> Result<JsonText, String> {
    JsonText::from_serialize(value).map_err(|error| error.to_string())
}
