//! Tests of [`super`].

use proptest::prelude::*;

use super::*;

// R-DEP-2
#[test]
fn a_repository_is_official_or_an_absolute_https_url() {
    for text in [
        "official",
        "https://example.com",
        "https://example.com/",
        "https://puni.sh/api/repository/veyn",
        "https://raw.githubusercontent.com/NightmareXIV/MyDalamudPlugins/main/pluginmaster.json",
        "HTTPS://Example.com/Repo.json",
        "https://user@example.com:8443/a%20b?x=1&y=2#z",
        "https://127.0.0.1:1/x",
        "https://[::1]/x",
        "https://bücher.example/ä",
    ] {
        let repo = text.parse::<RepoUrl>().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(repo.as_str(), text, "kept as it was written");
        assert_eq!(repo.is_official(), text == "official");
    }
    for text in [
        "",
        "Official",
        "official ",
        "http://example.com/repo.json",
        "ftp://example.com",
        "file:///repo.json",
        "//example.com",
        "/repo.json",
        "repo.json",
        "example.com/repo.json",
        "https",
        "https:",
        "https:example.com",
        "https:/example.com",
        "https://",
        "https:///repo.json",
        "https://:443/",
        "https://example.com:99999/",
        "https://example.com:x/",
        "https://exa mple.com",
        " https://example.com",
        "https://example.com/a b",
        "https://example.com\n",
        "https://[::1/x",
        "https://example.com/%zz",
        "javascript:https://example.com",
    ] {
        let error = text.parse::<RepoUrl>().expect_err(text);
        assert_eq!(error.text(), text);
        assert!(error.to_string().contains("`official` or an absolute URL"), "{error}");
    }
}

#[test]
fn json_is_the_text_and_is_checked() {
    assert_eq!(serde_json::to_string(&RepoUrl::OFFICIAL).unwrap(), r#""official""#);
    assert_eq!(serde_json::from_str::<RepoUrl>(r#""official""#).unwrap(), RepoUrl::OFFICIAL);
    let error = serde_json::from_str::<RepoUrl>(r#""http://x.y""#).unwrap_err().to_string();
    assert!(error.contains("http://x.y") && error.contains("https://"), "{error}");
}

proptest! {
    #[test]
    fn no_text_panics(text in r"(https?:/{0,3})?[a-z:/@\[\]?#%. ]{0,20}|\PC{0,20}") {
        if let Ok(repo) = text.parse::<RepoUrl>() {
            prop_assert!(repo.is_official() || text.to_lowercase().starts_with("https://"));
            prop_assert_eq!(repo.to_string(), text);
        }
    }
}
