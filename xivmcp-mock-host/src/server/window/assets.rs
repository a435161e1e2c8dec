//! The files of the page. They are part of the program: nothing is read from a disk or a network.

use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! assets {
    ($($name:literal: $kind:expr,)*) => {
        /// Name, type and content of each file below `/assets/`.
        const FILES: &[(&str, &str, &str)] = &[$(($name, $kind, include_str!(concat!("../assets/", $name))),)*];
    };
}

assets! {
    "app.js": SCRIPT,
    "assistant.js": SCRIPT,
    "audit.js": SCRIPT,
    "consent.js": SCRIPT,
    "controls.js": SCRIPT,
    "findings.js": SCRIPT,
    "game.js": SCRIPT,
    "jobs.js": SCRIPT,
    "link.js": SCRIPT,
    "modules.js": SCRIPT,
    "page.js": SCRIPT,
    "plugins.js": SCRIPT,
    "questions.js": SCRIPT,
    "schema-form.js": SCRIPT,
    "texts.js": SCRIPT,
    "vendor/htm.js": SCRIPT,
    "vendor/hooks.js": SCRIPT,
    "vendor/preact.js": SCRIPT,
    "vendor/LICENSES.txt": "text/plain; charset=utf-8",
    "window.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
}

pub(super) async fn page() -> Response {
    ([(CONTENT_TYPE, "text/html; charset=utf-8")], include_str!("../assets/index.html")).into_response()
}

pub(super) async fn file(Path(path): Path<String>) -> Response {
    match FILES.iter().find(|(name, _, _)| *name == path) {
        Some((_, kind, content)) => ([(CONTENT_TYPE, *kind)], *content).into_response(),
        None => (StatusCode::NOT_FOUND, "the page has no such file\n").into_response(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_file_that_a_script_imports_is_served() {
        let names: BTreeSet<&str> = FILES.iter().map(|(name, _, _)| *name).collect();
        for (name, _, content) in FILES.iter().filter(|(name, _, _)| name.ends_with(".js")) {
            let folder = name.rsplit_once('/').map(|(folder, _)| format!("{folder}/")).unwrap_or_default();
            for import in content.split("from\"./").chain(content.split("from \"./")).skip(1) {
                let Some((import, _)) = import.split_once('"') else { continue };
                if import.ends_with(".js") {
                    assert!(names.contains(format!("{folder}{import}").as_str()), "{name} imports {import}");
                }
            }
        }
    }

    #[test]
    fn the_page_has_no_inline_script_or_style() {
        let page = include_str!("../assets/index.html");
        assert!(!page.contains("<style") && !page.contains("style=") && !page.contains("onload="));
        assert_eq!(page.matches("<script").count(), page.matches("<script type=\"module\" src=").count());
    }
}
