//! Tests of [`super`].

use super::*;

// R-DEP-4
#[test]
fn a_reply_round_trips_with_null_for_no_plugin_and_all_it_does_not_know() {
    let json = concat!(
        r#"{"dependencies":[{"tool":"navigate_to","plugin":null,"state":"ok","message":"Ready.","install":["#,
        r#"{"plugin":"vnavmesh","name":"vnavmesh","repo":"https://puni.sh/api/repository/veyn","needed":false,"#,
        r#""installed":false,"outdated":false,"reason":"Walks there for you.","without":"You walk.","size":3}]},"#,
        r#"{"tool":"other_tool","plugin":"Other","state":"plugin_sulking","message":"m","install":[],"since":null}]}"#
    );
    let reply: DependenciesReply = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&reply).unwrap(), json);
    let [navigate, other] = &reply.dependencies[..] else { panic!("{reply:?}") };
    assert!(navigate.is_ok() && !other.is_ok());
    assert_eq!(other.state.as_str(), "plugin_sulking");
    assert_eq!(navigate.install[0].extra["size"], 3);
}

#[test]
fn reading_takes_what_a_host_may_leave_out() {
    let status: DependencyStatus = serde_json::from_str(r#"{"tool":"t_t","state":"ok","message":"Ready."}"#).unwrap();
    assert_eq!((status.plugin, status.install.len()), (None, 0));
    let entry: InstallEntry = serde_json::from_str(
        r#"{"plugin":"p","name":"n","repo":"ftp://odd","needed":true,"installed":true,"outdated":true,"reason":null,"without":null}"#,
    )
    .unwrap();
    assert_eq!((entry.reason, entry.without), (None, None));
}

// R-DEP-4, R-DEP-5
#[test]
fn the_states_are_those_of_the_reference() {
    let all: Vec<_> = DependencyState::ALL.iter().map(DependencyState::as_str).collect();
    assert_eq!(
        all,
        ["ok", "needs_plugin", "plugin_missing", "plugin_outdated", "plugin_not_loaded", "tool_missing", "not_enabled"]
    );
}
