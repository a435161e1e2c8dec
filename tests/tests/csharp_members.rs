//! Every member of the C# client has its counterpart: the README's table names it, and code that uses the counterparts
//! compiles and does what the C# page says.

use std::time::Duration;

use serde_json::json;
use xivmcp_client::{
    AddToolError, ClientError, Job, JsonText, McpCall, McpCapabilities, McpDependency, McpDependencyStatus, McpJob,
    McpJobStep, McpPermission, McpPluginState, McpStatus, McpToolDefinition, McpToolError, XivMcpClient,
};
use xivmcp_mock_host::{Answer, MockHost, Plugin};

/// The members of `XivMcpClient.cs`, type by type, as its reference lists them.
const MEMBERS: &[(&str, &[&str])] = &[
    (
        "XivMcpClient(pluginInterface)",
        &[
            "AddTool(definition, handler)",
            "AddLongRunningTool(definition, handler)",
            "RemoveTool(name)",
            "GetStatus()",
            "CheckPermission(capability)",
            "UsesTools(dependencies)",
            "StartJob(name, steps)",
            "GetJob(id)",
            "ListJobs()",
            "PauseJob",
            "ResumeJob",
            "CancelJob",
            "IsAvailable",
            "RegistrationFailed",
            "Dispose()",
        ],
    ),
    ("McpToolDefinition", &["Name", "Description", "InputSchema", "ReadOnly", "Destructive", "Capabilities"]),
    ("McpCall", &["Args", "Cancellation", "Progress(text)", "RequestApprovalAsync(capability, summary)", "Id", "Tool"]),
    ("McpStatus", &["State", "CanRun", "SuspendReason", "Capabilities", "Tools", "Dependencies"]),
    ("McpJobStep", &["Tool", "Args", "Id", "Note"]),
    ("McpDependency", &["BuiltIn(tool)", "FromPlugin(tool, plugin, pluginName, repo, minVersion)"]),
    ("McpDependencyStatus", &["Tool", "State", "Message", "Ok"]),
    ("McpToolException(message)", &[]),
    ("McpPermission", &["Allow", "Ask", "Deny"]),
    ("McpPluginState", &["Unavailable", "Undecided", "KeptDisabled", "Enabled", "AwaitingConsent", "Suspended"]),
    ("McpCapabilities", &[]),
];

/// The rows of the README's table, with the rows that go on with a type (`…`) under that type's name.
fn table() -> Vec<(String, String)> {
    let readme = include_str!("../../README.md");
    let part = readme.split("## From C# to Rust").nth(1).expect("the README has the table");
    let mut of = String::new();
    let mut rows = Vec::new();
    for line in part.split("\n## ").next().unwrap_or_default().lines().filter(|line| line.starts_with("| ")) {
        let line = line.replace("\\|", "¦");
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        if !cells[0].starts_with('…') {
            of = cells[0].to_owned();
        }
        rows.push((of.clone(), cells[0].to_owned()));
    }
    rows
}

#[test]
fn the_table_of_the_readme_names_every_member_of_the_csharp_client() {
    let rows = table();
    for (name, members) in MEMBERS {
        let rows: Vec<_> = if name.starts_with("XivMcpClient") {
            assert!(rows.iter().any(|(_, row)| row.contains(name)), "{name}");
            rows.iter().map(|(_, row)| row.as_str()).collect()
        } else {
            rows.iter().filter(|(of, _)| of.contains(name)).map(|(_, row)| row.as_str()).collect()
        };
        assert!(!rows.is_empty(), "{name} is not in the table");
        for member in *members {
            assert!(rows.iter().any(|row| row.contains(member)), "{name}: {member} is not in the table");
        }
    }
}

fn register(client: &XivMcpClient) -> Result<(), AddToolError> {
    let schema = JsonText::parse(r#"{"type":"object","properties":{"count":{"type":"integer"}}}"#).unwrap();
    client.add_tool(
        McpToolDefinition::new("members_count", "Counts.").read_only(true).input_schema(schema),
        |call: McpCall| {
            let args: serde_json::Value = call.args()?;
            match args["count"].as_u64() {
                Some(count) => Ok(json!({ "count": count })),
                None => Err(McpToolError::new("'count' is missing.")),
            }
        },
    )?;
    client.add_long_running_tool(
        McpToolDefinition::new("members_clean", "Cleans.").destructive(true).capabilities([McpCapabilities::SpendGil]),
        async |call: McpCall| {
            let _token = call.cancellation().clone();
            call.progress(format!("{} {}", call.tool(), call.id()));
            let approved = call.request_approval(McpCapabilities::SpendGil, "Clean for 10 gil").await?;
            call.sleep(Duration::from_secs(1)).await?;
            Ok(approved)
        },
    )
}

fn loaded() -> (MockHost, Plugin) {
    let host = MockHost::simulated();
    let plugin = host.load("Members", register);
    host.player().enable(&plugin);
    host.player().answer_all(Answer::Once);
    (host, plugin)
}

#[test]
fn tools_and_calls_have_their_members() {
    let (host, plugin) = loaded();
    assert_eq!(host.assistant().call("members_count", json!({"count": 3})).expect_result(), json!({"count": 3}));
    // R-CLI-5: McpToolException's message is what the assistant sees.
    assert_eq!(host.assistant().call("members_count", ()).expect_error(), "'count' is missing.");
    assert_eq!(host.assistant().call("members_clean", ()).expect_result(), true);
    let client = plugin.client();
    assert!(client.is_available());
    assert!(client.remove_tool("members_clean"));
    client.dispose();
    assert!(!client.is_available());
}

#[test]
fn status_permission_and_dependencies_have_their_members() {
    let (_host, plugin) = loaded();
    let client = plugin.client();
    client
        .uses_tools([
            McpDependency::built_in("navigate_to"),
            McpDependency::from_plugin("other_sell", "Other", "Other Plugin", "official", "1.2"),
        ])
        .unwrap();
    let status: McpStatus = client.get_status();
    assert_eq!((&status.state, status.can_run(), &status.suspend_reason), (&McpPluginState::Enabled, true, &None));
    assert_eq!(status.capability(&McpCapabilities::SpendGil), Some(&McpPermission::Ask));
    assert_eq!(status.tool("members_count"), Some(&McpPermission::Allow));
    let [ready, missing]: &[McpDependencyStatus] = &status.dependencies[..] else { panic!("{status:?}") };
    assert!(ready.is_ok() && ready.tool == "navigate_to" && ready.message.starts_with("Ready."));
    assert_eq!(missing.state.as_str(), "plugin_missing");
    assert_eq!(client.check_permission(McpCapabilities::SpendGil), Ok(McpPermission::Ask));
    client.dispose();
    assert_eq!(client.get_status().state, McpPluginState::Unavailable);
}

#[test]
fn jobs_have_their_members() {
    let (host, plugin) = loaded();
    let client = plugin.client();
    let step = McpJobStep::new("members_clean").args(json!({})).id("clean").note("all of it");
    let job: Job = client.start_job(McpJob::new("Clean").step(step)).unwrap();
    client.pause_job(&job.id).unwrap();
    assert_eq!(client.get_job(&job.id).unwrap().state.as_str(), "paused");
    client.resume_job(&job.id).unwrap();
    assert_eq!(client.list_jobs().unwrap().len(), 1);
    client.cancel_job(&job.id).unwrap();
    assert_eq!(host.job(&job.id).state(), "cancelled");

    host.dalamud().unload_host();
    assert_eq!(client.get_job(&job.id), Err(ClientError::NotReady));
}
