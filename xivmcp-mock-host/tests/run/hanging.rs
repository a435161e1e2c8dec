//! Ctrl-C, with a plugin that hangs.

use std::net::TcpStream;

use crate::app::{App, page};
use crate::program::{Folder, Program, built, replace};
use crate::wait_for;

/// Ways to hang, and what the program says about each when it ends.
#[derive(Clone, Copy)]
enum Hangs {
    AtUnload,
    Handler,
    Framework,
}

/// The program, with a plugin that hangs. The connection is that of the call that does.
fn hanging(how: Hangs) -> (Program, Option<TcpStream>, Folder) {
    let folder = Folder::new();
    let library = folder.file("libplugin.so");
    std::fs::write(&library, built("xivmcp-tools-plugin")).unwrap();
    let program = Program::run(&folder, &["--enable-all", "--answer", "once", &format!("Tools={}", library.display())]);
    let app = App::connected(&program);
    wait_for("the plugin is enabled", || app.tools().iter().any(|tool| tool == "tools_add").then_some(()));
    let call = match how {
        Hangs::AtUnload => {
            assert!(app.result_of("tools_hang_at_unload").contains("it will hang"));
            None
        }
        Hangs::Handler => {
            let call = app.begin("tools_hang_handler");
            program.hear("the handler hangs");
            Some(call)
        }
        Hangs::Framework => {
            let call = app.begin("tools_hang_framework");
            let said =
                program.hear("lint: Tools, tools_hang_framework: has held the framework thread for more than 1 s");
            assert!(said.contains("the game stands still"), "{said}");
            assert!(app.tools().iter().any(|tool| tool == "tools_add"), "it serves");
            assert!(page(&program).contains("has held the framework thread"), "the window shows it");
            Some(call)
        }
    };
    (program, call, folder)
}

/// The first Ctrl-C is enough, and the program says what went wrong.
fn ends_by_itself(how: Hangs, sentence: &str) {
    let (program, _call, _folder) = hanging(how);
    program.interrupt();
    let (status, said) = program.ended();
    assert_eq!(status.code(), Some(1), "{said}");
    let (_, at_the_end) = said.split_once("Unloading. Ctrl-C again ends at once.").expect("it says what it does");
    assert!(at_the_end.contains(sentence), "{at_the_end}");
    assert!(!at_the_end.contains("is not unloaded after"), "the library's own limit comes first: {at_the_end}");
}

/// The second one does not wait for anything.
fn ends_at_once(how: Hangs) {
    let (program, _call, _folder) = hanging(how);
    program.interrupt();
    program.hear("Unloading. Ctrl-C again ends at once.");
    program.interrupt();
    let (status, said) = program.ended();
    assert_eq!(status.code(), Some(130), "{said}");
    assert!(!said.contains("must stay loaded"), "{said}");
}

#[test]
fn a_plugin_that_hangs_in_its_unload_is_not_waited_for_forever() {
    ends_by_itself(
        Hangs::AtUnload,
        "the library of a plugin must stay loaded: Tools: what its entry function returned is still being dropped",
    );
}

#[test]
fn a_plugin_that_hangs_in_its_unload_does_not_hold_up_a_second_ctrl_c() {
    ends_at_once(Hangs::AtUnload);
}

#[test]
fn a_handler_that_hangs_is_not_waited_for_forever() {
    ends_by_itself(Hangs::Handler, "must stay loaded: Tools: a handler or a task of it did not end in time");
}

#[test]
fn a_handler_that_hangs_does_not_hold_up_a_second_ctrl_c() {
    ends_at_once(Hangs::Handler);
}

#[test]
fn a_plugin_that_holds_the_framework_thread_is_not_waited_for_forever() {
    ends_by_itself(Hangs::Framework, "Tools (tools_hang_framework) has held the framework thread for");
}

#[test]
fn a_plugin_that_holds_the_framework_thread_does_not_hold_up_a_second_ctrl_c() {
    ends_at_once(Hangs::Framework);
}

#[test]
fn a_plugin_whose_end_hangs_is_told_of_and_the_next_build_runs_all_the_same() {
    let folder = Folder::new();
    let library = folder.file("libplugin.so");
    std::fs::write(&library, built("xivmcp-tools-plugin")).unwrap();
    let program = Program::run(&folder, &["--watch", "--enable-all", &format!("Tools={}", library.display())]);
    let app = App::connected(&program);
    wait_for("the plugin is enabled", || app.tools().iter().any(|tool| tool == "tools_add").then_some(()));
    assert!(app.result_of("tools_hang_at_unload").contains("it will hang"));
    replace(&library, &built("restock-helper"));
    let said = program.hear("Tools was loaded again");
    assert!(said.contains("fault: the library of a plugin must stay loaded: Tools: what its entry function"), "{said}");
    wait_for("the next build", || app.tools().iter().any(|tool| tool == "restockhelper_plan").then_some(()));
    program.interrupt();
    let (status, said) = program.ended();
    assert_eq!(status.code(), Some(1), "{said}");
}

#[test]
fn a_plugin_whose_entry_hangs_is_not_waited_for_forever() {
    let folder = Folder::new();
    let (library, hangs) = (folder.file("libplugin.so"), folder.file("hangs"));
    std::fs::write(&library, built("restock-helper")).unwrap();
    let named = format!("Tools={}", library.display());
    // The plugin's entry hangs if this file is there.
    let program = Program::run_with(&folder, &["--watch", &named], &[("TOOLS_PLUGIN_HANGS", &hangs)]);
    std::fs::write(&hangs, "").unwrap();
    replace(&library, &built("xivmcp-tools-plugin"));
    program.hear("the entry hangs");
    program.interrupt();
    let (status, said) = program.ended();
    assert_eq!(status.code(), Some(1), "{said}");
    assert!(said.contains("xivmcp-mock-host: Tools is still being loaded again: its entry does not end"), "{said}");
}
