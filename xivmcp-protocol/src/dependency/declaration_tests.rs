//! Tests of [`super`].

use proptest::prelude::*;

use super::*;

fn is_host_tool(tool: &str) -> bool {
    tool == "navigate_to"
}

fn declaration(tools: &str) -> DependencyDeclaration {
    let json = format!(r#"{{"tools":[{tools}]}}"#);
    DependencyDeclaration::parse(&json).unwrap_or_else(|error| panic!("{error}: {json}"))
}

const OTHER: &str =
    r#"{"tool":"other_tool","plugin":"Other.Plugin-1_x","name":"Other","repo":"official","minVersion":"1.2"}"#;

/// `OTHER` with one key's value replaced, or without that key.
fn other_with(key: &str, value: Option<&str>) -> String {
    let mut tool: serde_json::Map<String, serde_json::Value> = serde_json::from_str(OTHER).unwrap();
    match value {
        Some(value) => tool.insert(key.to_owned(), value.into()),
        None => tool.remove(key),
    };
    serde_json::to_string(&tool).unwrap()
}

// R-ENV-4
#[test]
fn a_declaration_that_is_no_declaration_is_refused_naming_the_field_and_its_value() {
    for (json, expected) in [
        ("[]", "the declaration must be an object, not []"),
        (r#" [[{"tool":"navigate_to"}]] "#, r#"the declaration must be an object, not [[{"tool":"navigate_to"}]]"#),
        ("null", "the declaration must be an object, not null"),
        ("{}", "`tools` is missing"),
        (r#"{"tools":null}"#, "`tools` is missing"),
        (r#"{"tools":{}}"#, "`tools` must be an array, not {}"),
        (r#"{"tools":["navigate_to"]}"#, r#"`tools[0]` must be an object, not "navigate_to""#),
        (r#"{"tools":[{}]}"#, "`tools[0].tool` is missing"),
        (r#"{"tools":[{"tool":null}]}"#, "`tools[0].tool` is missing"),
        (r#"{"tools":[{"tool":["x"]}]}"#, r#"`tools[0].tool` must be text, not ["x"]"#),
        (r#"{"tools":[{"tool":"a_tool","minVersion":1.20}]}"#, "`tools[0].minVersion` must be text, not 1.20"),
    ] {
        assert_eq!(DependencyDeclaration::parse(json).expect_err(json).to_string(), expected);
    }
    for json in ["", "nonsense", "{", r#"{"tools":[]} x"#] {
        let error = DependencyDeclaration::parse(json).expect_err(json).to_string();
        assert!(error.starts_with("the declaration is no JSON: "), "{error}");
    }
    let long =
        DependencyDeclaration::parse(&format!(r#"{{"tools":"{}"}}"#, "x".repeat(9_999))).unwrap_err().to_string();
    assert!(long.len() < 250 && long.ends_with('…'), "{long}");
}

// R-DEP-1, R-DEP-2, R-ENV-3
#[test]
fn what_is_right_is_trimmed_and_kept_in_order() {
    let json = r#"{"new":1,"tools":[{"tool":" navigate_to\t","plugin":null,"odd":[]},
        {"tool":"other_tool ","plugin":" Other ","name":"\u00a0Other Plugin ","repo":" https://e.x/r.json","minVersion":" 1.2.0 "}]}"#;
    let checked = CheckedDeclaration::parse(json, is_host_tool).unwrap();
    let [navigate, other] = &checked.tools[..] else { panic!("{checked:?}") };
    assert_eq!((navigate.tool.as_str(), &navigate.plugin), ("navigate_to", &None));
    let plugin = other.plugin.as_ref().unwrap();
    assert_eq!((plugin.plugin.as_str(), plugin.name.as_str()), ("Other", "Other Plugin"));
    assert_eq!((plugin.repo.as_str(), plugin.min_version.as_str()), ("https://e.x/r.json", "1.2.0"));
    assert_eq!(DependencyDeclaration::parse(json).unwrap().check_known(), Ok(()));
    assert_eq!(CheckedDeclaration::parse(r#"{"tools":[]}"#, is_host_tool), Ok(CheckedDeclaration::default()));
}

// R-DEP-1
#[test]
fn a_tool_of_the_host_stands_alone() {
    for (key, value) in [("plugin", "P"), ("name", "N"), ("repo", "official"), ("minVersion", "1.0"), ("name", " ")] {
        let error =
            declaration(&format!(r#"{{"tool":"navigate_to","{key}":"{value}"}}"#)).check(is_host_tool).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("`tools[0]`: navigate_to is a tool of XIV MCP and must stand alone, without `{key}`")
        );
    }
    let all = OTHER.replace("other_tool", "navigate_to");
    let error = declaration(&all).check(is_host_tool).unwrap_err().to_string();
    assert!(error.ends_with("without `plugin`, `name`, `repo`, `minVersion`"), "{error}");
    assert_eq!(declaration(&all).check_known(), Ok(()), "only the host knows its tools");
}

// R-DEP-1
#[test]
fn a_tool_of_another_plugin_needs_all_four() {
    for key in ["plugin", "name", "repo", "minVersion"] {
        for value in [None, Some(""), Some(" \t")] {
            let declaration = declaration(&format!(r#"{{"tool":"navigate_to"}},{}"#, other_with(key, value)));
            assert_eq!(
                declaration.check(is_host_tool).unwrap_err().to_string(),
                format!(
                    "`tools[1]`: other_tool is no tool of XIV MCP, and for a tool of another plugin `{key}` is missing"
                )
            );
            assert_eq!(
                declaration.check_known().unwrap_err().to_string(),
                format!(
                    "`tools[1]`: other_tool must stand alone if it is a tool of XIV MCP, and for a tool of another \
                     plugin `{key}` is missing"
                )
            );
        }
    }
    // A misspelt name of the host's tools ends here; without the host's list it may be right.
    let misspelt = declaration(r#"{"tool":"navigat_to"}"#);
    let error = misspelt.check(is_host_tool).unwrap_err().to_string();
    assert!(
        error.contains("navigat_to is no tool of XIV MCP") && error.ends_with("`minVersion` are missing"),
        "{error}"
    );
    assert_eq!(misspelt.check_known(), Ok(()));
}

// R-DEP-1, R-DEP-2
#[test]
fn every_value_must_have_its_form() {
    for (key, value, expected) in [
        ("tool", "", "`tools[0].tool`: `` is no tool name"),
        ("tool", "Other Tool", "`tools[0].tool`: `Other Tool` is no tool name"),
        ("plugin", "Other Plugin", "`tools[0].plugin`: `Other Plugin` is no internal name: it must be 1 to 64 of A-Z"),
        ("plugin", "Öther", "`tools[0].plugin`: `Öther` is no internal name"),
        ("plugin", &"x".repeat(65), "is no internal name"),
        ("repo", "http://e.x/r.json", "`tools[0].repo`: `http://e.x/r.json` is no repository"),
        ("repo", "Official", "`tools[0].repo`: `Official` is no repository"),
        ("minVersion", "1", "`tools[0].minVersion`: `1` is no plugin version"),
        ("minVersion", "1.2.3.4.5", "`tools[0].minVersion`: `1.2.3.4.5` is no plugin version"),
        ("minVersion", "1.2147483648", "`tools[0].minVersion`: `1.2147483648` is no plugin version"),
    ] {
        let declaration = declaration(&other_with(key, Some(value)));
        let error = declaration.check(is_host_tool).expect_err(value);
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(declaration.check_known(), Err(error), "that is known without the host");
    }
    assert!(declaration(&other_with("plugin", Some(&"x".repeat(64)))).check(is_host_tool).is_ok());
}

// R-DEP-2
#[test]
fn a_plugins_name_is_cut_at_64_characters_as_dotnet_counts_them() {
    for (name, expected) in [
        ("x".repeat(64), "x".repeat(64)),
        ("x".repeat(65), "x".repeat(64)),
        ("x".repeat(63) + "🐤", "x".repeat(63)),
        ("🐤".repeat(40), "🐤".repeat(32)),
    ] {
        let checked = declaration(&other_with("name", Some(&name))).check(is_host_tool).unwrap();
        assert_eq!(checked.tools[0].plugin.as_ref().unwrap().name, expected);
    }
}

// R-DEP-1
#[test]
fn at_most_64_tools_and_none_twice() {
    let many = |count: usize| {
        DependencyDeclaration::new((0..count).map(|number| ToolDependency::built_in(format!("tool_{number}"))))
    };
    assert!(many(64).check(|_| true).is_ok());
    for error in [many(65).check(|_| true).map(drop), many(65).check_known()] {
        assert_eq!(error.unwrap_err().to_string(), "`tools` has 65 tools; at most 64 can be declared");
    }
    let twice = declaration(&format!(r#"{OTHER},{{"tool":"navigate_to"}},{{"tool":" navigate_to "}}"#));
    for error in [twice.check(is_host_tool).map(drop), twice.check_known()] {
        assert_eq!(error.unwrap_err().to_string(), "navigate_to is declared twice, in `tools[1]` and `tools[2]`");
    }
}

#[test]
fn a_declaration_is_written_without_what_is_absent() {
    let declaration = DependencyDeclaration::new([
        ToolDependency::built_in("navigate_to"),
        ToolDependency::from_plugin("other_tool", "Other.Plugin-1_x", "Other", "official", "1.2"),
    ]);
    let json = format!(r#"{{"tools":[{{"tool":"navigate_to"}},{OTHER}]}}"#);
    assert_eq!(serde_json::to_string(&declaration).unwrap(), json);
    assert_eq!(serde_json::from_str::<DependencyDeclaration>(&json).unwrap(), declaration);
    assert_eq!(DependencyDeclaration::parse(&json).unwrap(), declaration);
}

// The example of the plugin interface's own documentation.
#[test]
fn the_documented_declaration_goes_through() {
    let json = r#"{ "tools": [
        { "tool": "navigate_to" },
        { "tool": "otherplugin_announce", "plugin": "OtherPlugin", "name": "Other Plugin",
          "repo": "https://example.com/repo.json", "minVersion": "1.2.0" }
    ] }"#;
    let declaration = DependencyDeclaration::parse(json).unwrap();
    assert_eq!(declaration.check_known(), Ok(()));
    assert_eq!(declaration.check(is_host_tool).unwrap().tools.len(), 2);
    let back = serde_json::to_value(&declaration).unwrap();
    assert_eq!(back, serde_json::from_str::<serde_json::Value>(json).unwrap());
}

fn any_tool() -> impl Strategy<Value = ToolDependency> {
    let text = |right: &'static str| {
        proptest::option::weighted(0.8, prop_oneof![4 => Just(right.to_owned()), 1 => r"\PC{0,8}"])
    };
    ("[a-b]_[a-d]", text("Other"), text("Other Plugin"), text("official"), text("1.2"))
        .prop_map(|(tool, plugin, name, repo, min_version)| ToolDependency { tool, plugin, name, repo, min_version })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(tools in proptest::collection::vec(any_tool(), 0..5)) {
        let declaration = DependencyDeclaration::new(tools);
        let json = serde_json::to_string(&declaration).unwrap();
        prop_assert_eq!(DependencyDeclaration::parse(&json).unwrap(), declaration);
    }

    #[test]
    fn what_the_host_accepts_the_client_lets_pass(tools in proptest::collection::vec(any_tool(), 0..5), host in "[a-b]_") {
        let declaration = DependencyDeclaration::new(tools);
        if let Ok(checked) = declaration.check(|tool| tool.starts_with(&host)) {
            prop_assert_eq!(declaration.check_known(), Ok(()));
            prop_assert_eq!(checked.tools.len(), declaration.tools.len());
            for tool in checked.tools {
                prop_assert_eq!(tool.plugin.is_none(), tool.tool.as_str().starts_with(&host));
            }
        }
    }

    #[test]
    fn no_text_panics(text in r#"[{}\[\]":,a-z \\0-9]{0,40}|\PC{0,20}"#) {
        let _ = DependencyDeclaration::parse(&text);
    }
}
