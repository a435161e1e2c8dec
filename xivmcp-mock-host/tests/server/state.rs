//! The state file: what survives a restart.

use std::path::PathBuf;

use serde_json::json;
use xivmcp_mock_host::MockHost;
use xivmcp_mock_host::server::{Options, ServeError, serve};

use crate::http::App;
use crate::{register, said, serve_plugin};

/// A place for a file that goes with the test.
struct Place(PathBuf);

impl Place {
    fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("xivmcp-state-{}-{test}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn file(&self) -> PathBuf {
        self.0.join("state.json")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

// R-CALL-10, R-JOB-11
#[test]
fn decisions_and_jobs_survive_a_restart() {
    let place = Place::new("restart");
    let options = Options::new().port(0).state(place.file());
    let server = serve_plugin(options.clone());
    server.host().player().set_group_write("market", "ask");
    let app = App::initialized(&server, "tester");
    let job = json!({ "name": "Sleep", "steps": [
        { "tool": "myplugin_echo", "args": { "a": 1 } }, { "tool": "myplugin_hang", "args": { "z": 1.50 } } ] });
    let started: serde_json::Value = serde_json::from_str(said(&app.call("start_job", &job))).unwrap();
    let id = started["job"]["id"].as_str().unwrap().to_owned();
    let is_hanging =
        || server.host().traffic().iter().any(|entry| entry.arguments.iter().any(|arg| arg == "myplugin_hang"));
    server.host().wait_until(is_hanging);
    assert_eq!(server.stop(), [""; 0]);

    let host = MockHost::live();
    let server = serve(host, &options).unwrap();
    let job = server.host().job(&*id);
    assert_eq!(job.state(), "paused");
    server.host().load("MyPlugin", register);
    let app = App::initialized(&server, "tester");
    assert_eq!(said(&app.call("myplugin_ping", &json!({}))), "pong", "it is still enabled");
    let resumed = app.call("resume_job", &json!({ "id": id }));
    assert_eq!(resumed["result"]["isError"], false, "{resumed}");
    server.host().wait_until(|| server.host().job(&*id).state() == "running");
    assert_eq!(server.stop(), [""; 0]);
    let left: Vec<_> = std::fs::read_dir(&place.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["state.json"], "nothing is left beside the file");
}

#[test]
fn changes_are_in_the_file_soon_not_only_at_the_end() {
    let place = Place::new("soon");
    let server = serve_plugin(Options::new().state(place.file()));
    server.host().player().set_mode("MyPlugin", "game_ui", "deny");
    let is_there = || std::fs::read_to_string(place.file()).is_ok_and(|text| text.contains("\"game_ui\": \"deny\""));
    server.host().wait_until(is_there);
}

#[test]
fn a_file_that_cannot_be_read_is_refused_and_left_as_it_is() {
    let place = Place::new("broken");
    for broken in ["{", "{\"version\": 99}", "[]"] {
        std::fs::write(place.file(), broken).unwrap();
        let refused = serve(MockHost::live(), &Options::new().port(0).state(place.file())).unwrap_err();
        assert!(matches!(refused, ServeError::State { .. }), "{refused}");
        assert!(refused.to_string().contains("state.json"), "{refused}");
        assert_eq!(std::fs::read_to_string(place.file()).unwrap(), broken);
    }
}
