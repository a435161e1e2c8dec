//! Tests of [`super`].

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

fn version(text: &str) -> PluginVersion {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

// R-DEP-2
#[test]
fn a_version_is_two_to_four_numbers() {
    for (text, parts) in [
        ("0.0", [0, 0, 0, 0]),
        ("1.2", [1, 2, 0, 0]),
        ("1.2.3", [1, 2, 3, 0]),
        ("1.2.3.4", [1, 2, 3, 4]),
        ("2147483647.2147483647.2147483647.2147483647", [2_147_483_647; 4]),
        ("0000000000000000000000001.02", [1, 2, 0, 0]),
    ] {
        assert_eq!(version(text).parts(), parts, "{text}");
        assert_eq!(version(text).to_string(), text);
    }
}

// R-DEP-2
#[test]
fn any_other_text_is_refused_and_shown() {
    for text in [
        "",
        ".",
        "1",
        "1.",
        ".1",
        "1..2",
        "1.2.3.4.5",
        "1.2.",
        " 1.2",
        "1.2 ",
        "1. 2",
        "+1.2",
        "1.-2",
        "v1.2",
        "1.2-beta",
        "1.x",
        "2147483648.0",
        "1.4294967296",
        "1.99999999999999999999",
        "١.٢",
        "1,2",
        "1.2\n",
    ] {
        let error = text.parse::<PluginVersion>().expect_err(text);
        assert_eq!(error, VersionError::Form { text: text.to_owned() });
        let message = error.to_string();
        assert!(message.starts_with(&format!("`{text}` ")) && message.contains("2 to 4 numbers"), "{message}");
    }
}

// R-DEP-3
#[test]
fn versions_compare_part_by_part_and_missing_parts_are_zero() {
    let groups = [
        vec!["0.0", "0.0.0.0"],
        vec!["0.9", "0.9.0"],
        vec!["1.2", "1.2.0", "1.2.0.0", "01.02"],
        vec!["1.2.0.1"],
        vec!["1.2.1"],
        vec!["1.10"],
        vec!["2.0"],
        vec!["10.0"],
    ];
    for (i, left) in groups.iter().enumerate() {
        for (j, right) in groups.iter().enumerate() {
            for (a, b) in left.iter().flat_map(|a| right.iter().map(move |b| (a, b))) {
                assert_eq!(version(a).cmp(&version(b)), i.cmp(&j), "{a} and {b}");
                assert_eq!(version(a) == version(b), i == j, "{a} and {b}");
            }
        }
    }
    let distinct: HashSet<_> = groups.iter().flatten().map(|text| version(text)).collect();
    assert_eq!(distinct.len(), groups.len(), "equal versions hash equally");
}

#[test]
fn what_semver_cannot_say_is_refused_in_both_directions() {
    for text in ["1.2.3-beta.1", "1.2.3+build", "2147483648.0.0"] {
        let error = PluginVersion::try_from(semver::Version::parse(text).unwrap()).unwrap_err();
        assert_eq!(error, VersionError::FromSemver { text: text.to_owned() });
        assert!(error.to_string().contains(text) && error.to_string().contains("three numbers"), "{error}");
    }
    let error = semver::Version::try_from(version("1.2.3.4")).unwrap_err();
    assert_eq!(error, VersionError::ToSemver { text: "1.2.3.4".to_owned() });
    assert!(error.to_string().contains("1.2.3.4") && error.to_string().contains("2 or 3 numbers"), "{error}");
    // A fourth part of 0 is no fourth part.
    assert_eq!(semver::Version::try_from(version("1.2.3.0")).unwrap(), semver::Version::new(1, 2, 3));
}

#[test]
fn an_endless_text_is_shown_cut() {
    let error = "1".repeat(1_000_000).parse::<PluginVersion>().unwrap_err();
    assert!(error.to_string().len() < 300, "{error}");
}

#[test]
fn json_is_the_text() {
    assert_eq!(serde_json::to_string(&version("1.2")).unwrap(), r#""1.2""#);
    assert_eq!(serde_json::from_str::<PluginVersion>(r#""1.\u0032""#).unwrap().as_str(), "1.2");
    let error = serde_json::from_str::<PluginVersion>(r#""one""#).unwrap_err().to_string();
    assert!(error.contains("`one` is no plugin version"), "{error}");
    assert!(serde_json::from_str::<PluginVersion>("1.2").is_err(), "a number is not text");
}

proptest! {
    #[test]
    fn what_was_written_is_read_back(parts in proptest::collection::vec(0..=MAX_PART, 2..=4)) {
        let text = parts.iter().map(u32::to_string).collect::<Vec<_>>().join(".");
        let version = version(&text);
        prop_assert_eq!(&version.parts()[..parts.len()], &parts[..]);
        prop_assert!(version.parts()[parts.len()..].iter().all(|part| *part == 0));
        let json = serde_json::to_string(&version).unwrap();
        prop_assert_eq!(serde_json::from_str::<PluginVersion>(&json).unwrap().to_string(), text);
    }

    #[test]
    fn semver_goes_round(major in 0..=MAX_PART, minor in 0..=MAX_PART, patch in 0..=MAX_PART) {
        let semantic = semver::Version::new(major.into(), minor.into(), patch.into());
        let plugin = PluginVersion::try_from(&semantic).unwrap();
        prop_assert_eq!(semver::Version::try_from(plugin).unwrap(), semantic);
    }

    #[test]
    fn no_text_panics(text in r"[0-9.+\- ]{0,40}|\PC{0,20}") {
        if let Ok(version) = text.parse::<PluginVersion>() {
            prop_assert_eq!(version.as_str(), text);
        }
    }
}
