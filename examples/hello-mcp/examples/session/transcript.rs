//! The session as text: a time, who, and what, at most 100 columns wide.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::Value;
use xivmcp_mock_host::{MockHost, Time, TrafficEntry};

/// How wide a line may be, in characters.
const WIDTH: usize = 100;
/// Where the text begins: behind the time and the speaker.
const INDENT: usize = 20;

/// With or without colours.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// For files, pipes and tests.
    Plain,
    /// For terminals.
    Coloured,
}

/// Who says or does something.
#[derive(Clone, Copy)]
pub(crate) enum Who {
    Plugin,
    Assistant,
    Player,
    Host,
    Chat,
}

impl Who {
    fn name(self) -> &'static str {
        match self {
            Self::Plugin => "plugin",
            Self::Assistant => "assistant",
            Self::Player => "player",
            Self::Host => "XIV MCP",
            Self::Chat => "chat",
        }
    }

    /// The number of a colour that reads well on dark and on light.
    fn colour(self) -> u8 {
        match self {
            Self::Plugin => 35,
            Self::Assistant => 34,
            Self::Player => 32,
            Self::Host => 33,
            Self::Chat => 36,
        }
    }
}

/// What was said so far.
pub(crate) struct Transcript {
    text: String,
    style: Style,
    /// How much of the host's records is written down already.
    traffic: u64,
    chat: usize,
    questions: usize,
}

impl Transcript {
    pub(crate) fn new(style: Style) -> Self {
        Self { text: String::new(), style, traffic: 0, chat: 0, questions: 0 }
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }

    /// A heading.
    pub(crate) fn scene(&mut self, title: &str) {
        let gap = if self.text.is_empty() { "" } else { "\n" };
        let title = self.painted(title, 1);
        let _ = writeln!(self.text, "{gap}{title}");
    }

    /// A line, folded at words.
    pub(crate) fn line(&mut self, at: Duration, who: Who, text: &str) {
        let name = self.painted(&format!("{:<9}", who.name()), who.colour());
        let time = self.painted(&clock(at), 2);
        let mut folded = String::new();
        let mut column = INDENT;
        for (index, word) in text.split_whitespace().enumerate() {
            let length = word.chars().count();
            if index > 0 && column + 1 + length > WIDTH {
                let _ = write!(folded, "\n{:INDENT$}", "");
                column = INDENT;
            } else if index > 0 {
                folded.push(' ');
                column += 1;
            }
            folded.push_str(word);
            column += length;
        }
        let _ = writeln!(self.text, "{time}  {name} {folded}");
    }

    /// Writes down what crossed the gates, and what was printed, since the last time.
    pub(crate) fn catch_up(&mut self, host: &MockHost) {
        // What happened at one moment: first the host, then the chat window, then the plugin.
        let mut news: Vec<(Duration, u8, Who, String)> = Vec::new();
        let chat = host.dalamud().chat();
        for line in &chat[self.chat..] {
            news.push((line.time.since(Time::SIMULATION_START), 1, Who::Chat, line.text.clone()));
        }
        self.chat = chat.len();
        let traffic = host.traffic();
        for entry in traffic.iter().filter(|entry| entry.number >= self.traffic) {
            news.extend(told(entry).map(|(rank, who, text)| (entry.at, rank, who, text)));
        }
        self.traffic = traffic.last().map_or(self.traffic, |entry| entry.number + 1);
        let questions = host.player().asked();
        for question in &questions[self.questions..] {
            let asks = match &question.summary {
                Some(summary) => format!("asks the player: {summary}?"),
                None => format!("asks the player: may {} run? ({})", question.tool, question.capabilities.join(", ")),
            };
            news.push((question.since.since(Time::SIMULATION_START), 0, Who::Host, asks));
        }
        self.questions = questions.len();
        news.sort_by_key(|(at, rank, ..)| (*at, *rank));
        for (at, _, who, text) in news {
            self.line(at, who, &text);
        }
    }

    fn painted(&self, text: &str, code: u8) -> String {
        match self.style {
            Style::Plain => text.to_owned(),
            Style::Coloured => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }
}

/// What a crossing means, for those that a reader of the session wants to see.
fn told(entry: &TrafficEntry) -> Option<(u8, Who, String)> {
    let argument = |index: usize| entry.arguments.get(index).map_or("", String::as_str);
    match entry.gate.strip_prefix("XivMcp.") {
        Some("RegisterTool") => {
            let definition: Value = serde_json::from_str(argument(1)).unwrap_or_default();
            Some((2, Who::Plugin, format!("registers {}", definition["name"].as_str().unwrap_or("?"))))
        }
        Some("ReportProgress") => Some((2, Who::Plugin, format!("reports: {}", argument(1)))),
        _ if entry.gate.ends_with(".XivMcp.Cancel") => Some((0, Who::Host, "cancels the call".to_owned())),
        _ => None,
    }
}

/// `1:02.5`, as minutes and seconds.
fn clock(at: Duration) -> String {
    let tenths = at.as_millis() / 100;
    format!("{:>3}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10)
}
