//! What happens in the session, scene by scene. The example prints it, and a test pins what it prints.

use std::time::Duration;

use hello_mcp::HelloMcp;
use serde_json::{Value, json};
use xivmcp_mock_host::{Answer, MockHost, Outcome, PendingCall, Plugin};

use crate::transcript::{Style, Transcript, Who};

/// Plays the session. Gives what was said, and how much game time passed.
pub(crate) fn session(style: Style) -> (String, Duration) {
    let host = MockHost::simulated();
    host.dalamud().service(hello_mcp::greeting::CHARACTER_NAME, |_| Ok(json!("Y'shtola Rhul").to_string()));
    host.builtin("get_game_status").returns(json!({"zone": "Limsa Lominsa", "loggedIn": true}));
    let mut stage = Stage { transcript: Transcript::new(style), host: &host };

    stage.transcript.scene("The plugin loads. Nobody has allowed anything yet.");
    let plugin = host.load_plugin("HelloMcp", hello_mcp::start);
    host.dalamud().set_display_name(&plugin, "Hello MCP");
    stage.catch_up();
    stage.call("hellomcp_greet", json!({}));

    stage.transcript.scene("The player decides.");
    stage.player_enables(&plugin);
    stage.assistant_looks();

    stage.transcript.scene("A tool that only reads needs no question. A wrong argument comes back with what is right.");
    stage.call("hellomcp_greet", json!({"style": "polite"}));
    stage.call("hellomcp_greet", json!({"style": "formal"}));

    stage.transcript.scene("A tool that acts asks the player.");
    stage.call_and_answer("hellomcp_print", json!({"text": "Dinner is at\neight."}), &[Answer::Session]);
    stage.call("hellomcp_print", json!({"text": "Dinner is at eight."}));

    stage.transcript.scene("A long-running tool reports as it goes on.");
    stage.call_and_answer("hellomcp_countdown", json!({"seconds": 3}), &[Answer::Session]);

    stage.transcript.scene("The app gives up. The tool ends at once, and cleans up.");
    let call = stage.start("hellomcp_countdown", json!({"seconds": 60}));
    stage.pass(Duration::from_secs(2));
    stage.transcript.line(host.elapsed(), Who::Assistant, "gives up");
    call.give_up();
    stage.end(&call);

    stage.transcript.scene("Spending: the player sees the price, and says no, then yes.");
    let ring = json!({"item": "a gold ring", "price": 3200});
    stage.call_and_answer("hellomcp_pretend_purchase", ring.clone(), &[Answer::Once, Answer::Denied]);
    stage.call_and_answer("hellomcp_pretend_purchase", ring, &[Answer::Once, Answer::Once]);

    stage.transcript.scene("A job of three steps, from the plugin's own command. The last step is XIV MCP's own tool.");
    stage.transcript.line(host.elapsed(), Who::Player, "types /hellomcp countdown");
    host.dalamud().run_command("/hellomcp countdown");
    stage.job_ends();

    stage.transcript.scene("XIV MCP reloads. The plugin registers again, and the player's settings are still there.");
    stage.transcript.line(host.elapsed(), Who::Host, "unloads");
    host.dalamud().unload_host();
    stage.catch_up();
    stage.pass(Duration::from_secs(5));
    stage.transcript.line(host.elapsed(), Who::Host, "loads");
    host.dalamud().load_host();
    stage.catch_up();
    stage.call("hellomcp_greet", json!({"name": "Tataru", "style": "pirate"}));

    let game_time = host.elapsed();
    let said = stage.transcript.finish();
    drop(plugin);
    host.finish();
    (said, game_time)
}

/// The host, with what was said so far.
struct Stage<'a> {
    transcript: Transcript,
    host: &'a MockHost,
}

impl Stage<'_> {
    /// Writes down what plugins did since the last time.
    fn catch_up(&mut self) {
        self.transcript.catch_up(self.host);
    }

    fn pass(&mut self, span: Duration) {
        self.host.advance(span);
        self.catch_up();
    }

    fn player_enables(&mut self, plugin: &Plugin) {
        self.host.player().enable(plugin);
        let status = plugin.with(|running: &HelloMcp| running.client().get_status());
        let modes: Vec<String> = status.capabilities.iter().map(|is| format!("{} = {}", is.id, is.mode)).collect();
        let text = format!("enables Hello MCP: {}", modes.join(", "));
        self.transcript.line(self.host.elapsed(), Who::Player, &text);
        self.catch_up();
    }

    fn assistant_looks(&mut self) {
        let tools = self.host.assistant().tools();
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        self.transcript.line(self.host.elapsed(), Who::Assistant, &format!("sees {}", names.join(", ")));
    }

    fn start(&mut self, tool: &str, args: Value) -> PendingCall {
        self.transcript.line(self.host.elapsed(), Who::Assistant, &format!("calls {tool} {args}"));
        let call = self.host.assistant().call(tool, args);
        self.catch_up();
        call
    }

    fn call(&mut self, tool: &str, args: Value) {
        self.call_and_answer(tool, args, &[]);
    }

    /// A call, and what the player answers to its questions, a second after each came.
    fn call_and_answer(&mut self, tool: &str, args: Value, answers: &[Answer]) {
        let call = self.start(tool, args);
        for answer in answers {
            self.host.wait_until(|| !self.host.player().questions().is_empty());
            self.catch_up();
            self.pass(Duration::from_secs(1));
            let question = self.host.player().answer(*answer);
            let about = question.summary.unwrap_or(question.tool);
            self.transcript.line(self.host.elapsed(), Who::Player, &format!("{} ({about})", said(*answer)));
            self.catch_up();
        }
        self.end(&call);
    }

    /// Waits until the call is over, and writes down what the assistant gets.
    fn end(&mut self, call: &PendingCall) {
        let outcome = call.wait();
        self.catch_up();
        let text = match outcome {
            Outcome::Result(json) => format!("gets {json}"),
            Outcome::Error(text) => format!("gets the error: {text}"),
            Outcome::Cancelled => "is told that the call was cancelled".to_owned(),
            other => format!("gets {other}"),
        };
        self.transcript.line(self.host.elapsed(), Who::Assistant, &text);
    }

    /// Lets the newest job come to its end, and shows its log.
    fn job_ends(&mut self) {
        self.catch_up();
        self.host.wait_until(|| self.host.jobs().first().is_some_and(|job| job.state() == "completed"));
        self.catch_up();
        let job = self.host.jobs().remove(0);
        for line in job.log().lines() {
            self.transcript.line(self.host.elapsed(), Who::Host, &format!("job log: {line}"));
        }
        let ended = format!("{} is {} ({})", job.job.name, job.state(), job.job.progress);
        self.transcript.line(self.host.elapsed(), Who::Host, &ended);
    }
}

fn said(answer: Answer) -> &'static str {
    match answer {
        Answer::Denied => "declines",
        Answer::Session => "allows it for this session",
        Answer::Always => "allows it always",
        _ => "allows it once",
    }
}
