//! What a host collects in a long session is bounded.

use xivmcp_client::ipc::IpcType;
use xivmcp_client::services::{LogLevel, PluginServices};
use xivmcp_protocol::JsonText;

use crate::MockHost;
use crate::core::{Effect, Question, Time};
use crate::host::world::World;
use crate::recent::KEPT;
use crate::services::MockServices;

/// More than is kept.
const MANY: usize = KEPT + 3;

/// The first and the last of `texts`, and how many there are.
fn ends(texts: impl IntoIterator<Item = String>) -> (String, String, usize) {
    let texts: Vec<String> = texts.into_iter().collect();
    (texts.first().cloned().unwrap_or_default(), texts.last().cloned().unwrap_or_default(), texts.len())
}

fn expected() -> (String, String, usize) {
    ("3".to_owned(), (MANY - 1).to_string(), KEPT)
}

#[test]
fn the_newest_questions_are_kept() {
    let world = World::simulated(1);
    for number in 0..MANY {
        world.driver.perform(Effect::QuestionOpened(Question {
            id: u64::try_from(number).unwrap(),
            plugin: "Cat".to_owned(),
            tool: "cat_purr".to_owned(),
            capabilities: Vec::new(),
            summary: None,
            caller: "assistant".to_owned(),
            call: number.to_string(),
            since: Time::SIMULATION_START,
        }));
    }
    assert_eq!(ends(world.driver.asked().into_iter().map(|question| question.call)), expected());
}

#[test]
fn the_newest_lines_of_the_hosts_log_are_kept() {
    let world = World::simulated(1);
    (0..MANY).for_each(|number| world.driver.perform(Effect::Log(number.to_string())));
    assert_eq!(ends(world.driver.log().into_iter().map(|(_, line)| line)), expected());
}

#[test]
fn the_newest_lines_of_the_plugins_log_and_of_the_chat_are_kept() {
    let world = World::simulated(1);
    let services = MockServices::new(&world.services, &world.bus.connect("Cat"), &world.engine);
    for number in 0..MANY {
        services.log(LogLevel::Debug, &number.to_string());
        services.print_chat(&number.to_string());
    }
    assert_eq!(ends(world.services.log().into_iter().map(|line| line.text)), expected());
    assert_eq!(ends(world.services.chat().into_iter().map(|line| line.text)), expected());
}

#[test]
fn the_newest_calls_of_a_stand_in_and_of_the_hosts_own_tools_are_kept() {
    let host = MockHost::simulated();
    let cat = host.stand_in("Cat");
    let world = host.world();
    for number in 0..MANY {
        let arguments = ["call".into(), "cat_purr".into(), number.to_string().into()];
        let reply = world.bus.call_function(&"XivMcp".into(), "Cat.XivMcp.Invoke", &arguments, IpcType::Text);
        reply.unwrap();
    }
    assert_eq!(ends(cat.calls().into_iter().map(|call| call.args.get().to_owned())), expected());

    for number in 0..MANY {
        if number % 50_000 == 0 {
            let _seen = host.builtin("get_inventory").calls();
        }
        let args = JsonText::from_serialize(&number).unwrap();
        world.driver.operate(|core, now| core.assistant_call(now, None, "get_inventory", args));
    }
    let calls = host.builtin("get_inventory").calls();
    assert_eq!(ends(calls.into_iter().map(|call| call.args.get().to_owned())), expected());
}
