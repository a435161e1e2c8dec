//! `--watch`.

use std::os::unix::fs::MetadataExt;

use crate::app::{App, Notifications};
use crate::program::{Folder, Program, built, replace};
use crate::wait_for;

/// The program watches a library whose file the test changes.
struct Watched {
    folder: Folder,
    program: Program,
    app: App,
    notifications: Notifications,
}

impl Watched {
    /// With the plugin that has the tools `tools_…`.
    fn started() -> Self {
        let folder = Folder::new();
        let library = folder.file("libplugin.so");
        std::fs::write(&library, built("xivmcp-tools-plugin")).unwrap();
        let named = format!("Watched={}", library.display());
        let program = Program::run(&folder, &["--watch", "--enable-all", &named]);
        let app = App::connected(&program);
        let notifications = app.listen();
        let watched = Self { folder, program, app, notifications };
        watched.wait_until_listed("tools_add");
        watched
    }

    fn library(&self) -> std::path::PathBuf {
        self.folder.file("libplugin.so")
    }

    #[track_caller]
    fn wait_until_listed(&self, tool: &str) {
        wait_for(tool, || self.app.tools().iter().any(|listed| listed == tool).then_some(()));
    }

    fn lists_any(&self, prefix: &str) -> bool {
        self.app.tools().iter().any(|tool| tool.starts_with(prefix))
    }

    /// Changes the file, and waits until the program says `text` and tells the app that the list has changed.
    #[track_caller]
    fn change(&self, text: &str, change: impl FnOnce()) -> String {
        let (heard, changes) = (self.program.said().len(), self.notifications.list_changes());
        change();
        let said = self.program.hear_after(heard, text);
        self.notifications.wait_for_more_than(changes);
        said[heard..].to_owned()
    }

    fn end(self) {
        self.program.interrupt();
        let (status, said) = self.program.ended();
        assert_eq!(status.code(), Some(0), "{said}");
    }
}

#[test]
fn another_build_takes_the_place_of_the_one_before() {
    let watched = Watched::started();
    assert!(watched.app.result_of("tools_generation").contains('1'));
    watched.change("Watched was loaded again", || replace(&watched.library(), &built("restock-helper")));
    watched.wait_until_listed("restockhelper_plan");
    assert!(!watched.lists_any("tools_"), "{:?}", watched.app.tools());
    let answer = watched.app.call("tools_generation");
    assert!(answer["error"].is_object(), "it is gone: {answer}");

    watched.change("Watched was loaded again", || replace(&watched.library(), &built("xivmcp-tools-plugin")));
    watched.wait_until_listed("tools_add");
    assert!(!watched.lists_any("restockhelper_"), "{:?}", watched.app.tools());
    assert!(watched.app.result_of("tools_generation").contains('1'));
    watched.end();
}

#[test]
fn a_file_that_does_not_load_is_reported_and_the_plugin_is_gone_until_one_does() {
    let watched = Watched::started();
    let good = built("xivmcp-tools-plugin");
    let library = watched.library().display().to_string();
    let bad: [(&str, &[u8], &str); 4] = [
        (
            "no library",
            b"no library at all, but long enough for a head of one: it is only text, as from a failed build",
            "cannot be loaded: ",
        ),
        ("half of one", &good[..good.len() / 2], "is incomplete: build it again"),
        // The system's loader maps this one, and the process dies of it.
        ("a tenth of one", &good[..good.len() / 10], "is incomplete: build it again"),
        ("nothing", b"", "cannot be loaded: "),
    ];
    for (what, bytes, reason) in bad {
        let said = watched.change("the one from before is gone", || replace(&watched.library(), bytes));
        let expected = format!("xivmcp-mock-host: Watched was not loaded: the library {library} {reason}");
        let line = said.lines().find(|line| line.contains("Watched was not loaded")).unwrap();
        assert!(line.starts_with(&expected), "{what}: {line}");
        assert!(!line.contains("dlopen failed"), "{what}: that alone says nothing: {line}");
        assert!(
            line.ends_with("; the one from before is gone") && !line[expected.len()..].contains('/'),
            "{what}: {line}"
        );
        assert!(!watched.lists_any("tools_"), "{what}: {:?}", watched.app.tools());
        assert!(watched.lists_any("get_inventory"), "it serves: {what}: {:?}", watched.app.tools());

        watched.change("Watched was loaded again", || replace(&watched.library(), &good));
        watched.wait_until_listed("tools_add");
        assert!(watched.app.result_of("tools_generation").contains('1'), "{what}");
    }
    // Once more of the same has nothing to take away.
    watched.change("the one from before is gone", || replace(&watched.library(), b"no library"));
    let heard = watched.program.said().len();
    replace(&watched.library(), b"no library either");
    let said = watched.program.hear_after(heard, "Watched was not loaded");
    assert!(!said[heard..].contains("from before"), "{said}");
    watched.end();
}

#[test]
fn a_library_can_be_written_over_while_it_runs() {
    let watched = Watched::started();
    let before = std::fs::metadata(watched.library()).unwrap().ino();
    for (library, tool) in [("restock-helper", "restockhelper_plan"), ("xivmcp-tools-plugin", "tools_add")] {
        let bytes = built(library);
        watched.change("Watched was loaded again", || {
            // Nothing of the running plugin is in this file: it goes on, however little of the file is there.
            std::fs::write(watched.library(), &bytes[..bytes.len() / 2]).unwrap();
            assert!(!watched.app.tools().is_empty());
            std::fs::write(watched.library(), bytes).unwrap();
        });
        watched.wait_until_listed(tool);
    }
    assert_eq!(std::fs::metadata(watched.library()).unwrap().ino(), before, "it is the same file");
    assert!(watched.app.result_of("tools_generation").contains('1'));
    watched.end();
}
