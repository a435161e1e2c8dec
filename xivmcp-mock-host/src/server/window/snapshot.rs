//! What a page shows, in sections that change on their own: each is JSON text, made once for all pages.

use std::sync::Arc;

use serde::Serialize;
use serde_json::json;
use xivmcp_protocol::ListCapabilitiesReply;

use super::Window;
use crate::core::{Core, Lint};
use crate::server::endpoint::listed;

/// How many findings, and failures, a page shows; the newest.
const FINDINGS: usize = 500;

/// Everything at one moment.
#[derive(Default)]
pub(super) struct Snapshot {
    sections: Vec<(&'static str, Arc<str>)>,
}

impl Snapshot {
    /// Looks at the host. A section that is as it was in `before` is the same text, not only an equal one.
    pub(super) fn take(window: &Window, before: &Self) -> Self {
        let host = &window.state.host;
        let world = host.world();
        let mut next = Self::default();
        let mut add = |name, text: String| {
            // Schemas come as plugins sent them. Between JSON's tokens a line's end means nothing, in an event it does.
            let text = if text.contains(['\r', '\n']) { text.replace(['\r', '\n'], " ") } else { text };
            let known = before.sections.iter().find(|(known, _)| *known == name).map(|(_, text)| text);
            let text = known.filter(|known| ***known == *text).cloned().unwrap_or_else(|| text.into());
            next.sections.push((name, text));
        };
        add("capabilities", text(&ListCapabilitiesReply::known().capabilities));
        world.look(|core: &Core| {
            add("host", text(&json!({ "loaded": core.is_ready() })));
            add("plugins", text(&core.window_plugins()));
            add("questions", text(&core.window_questions()));
            add("jobs", text(&core.window_jobs()));
            add("audit", text(&core.window_audit()));
            add("modules", text(&core.window_modules()));
            add("game", game(core));
            add("tools", tools(core));
            add("calls", text(&window.calls.with_running(core.window_calls())));
        });
        let (lints, failures, earlier) = world.reports.newest(FINDINGS);
        let lints: Vec<_> = lints.iter().map(lint).collect();
        add("findings", text(&json!({ "lints": lints, "failures": failures, "earlier": earlier })));
        next
    }

    /// All sections, as a message to the page.
    pub(super) fn whole(&self, now: i64) -> String {
        message(now, self.sections.iter())
    }

    /// The sections that are not those of `before`; nothing if there are none.
    pub(super) fn since(&self, before: &Self, now: i64) -> Option<String> {
        let known = |name: &str| before.sections.iter().find(|(known, _)| *known == name).map(|(_, text)| text);
        let is_new = |(name, text): &&(&'static str, Arc<str>)| known(name).is_none_or(|old| !Arc::ptr_eq(old, text));
        let mut changed = self.sections.iter().filter(is_new).peekable();
        changed.peek()?;
        Some(message(now, changed))
    }
}

fn message<'a>(now: i64, sections: impl Iterator<Item = &'a (&'static str, Arc<str>)>) -> String {
    let mut out = format!("{{\"now\":{now},\"sections\":{{");
    for (at, (name, text)) in sections.enumerate() {
        let comma = if at == 0 { "" } else { "," };
        out.push_str(&format!("{comma}\"{name}\":{text}"));
    }
    out.push_str("}}");
    out
}

/// A section's JSON. What is serialized here has text keys only, so that cannot fail.
fn text<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

fn game(core: &Core) -> String {
    let game = core.game();
    let currency: Vec<_> = game.currency.iter().map(|(id, amount)| json!({ "id": id, "amount": amount })).collect();
    text(&json!({
        "loggedIn": game.logged_in,
        "character": game.character,
        "zone": game.zone,
        "world": game.world,
        "gil": game.gil,
        "items": game.items,
        "chat": game.chat,
        "currency": currency,
    }))
}

/// tools/list, as the endpoint sends it, and whose each tool is.
fn tools(core: &Core) -> String {
    #[derive(Serialize)]
    struct Listed {
        #[serde(flatten)]
        sent: rmcp::model::Tool,
        plugin: Option<String>,
        title: Option<String>,
    }
    let all = core.assistant_tools(true).into_iter().map(|tool| {
        let (plugin, title) = (tool.plugin.clone(), tool.plugin_name.clone());
        Listed { sent: listed(tool), plugin, title }
    });
    text(&all.collect::<Vec<_>>())
}

fn lint(lint: &Lint) -> serde_json::Value {
    // `SnakeCaseResult` reads "snake case result".
    let kind = format!("{:?}", lint.kind).chars().fold(String::new(), |mut kind, letter| {
        if letter.is_ascii_uppercase() && !kind.is_empty() {
            kind.push(' ');
        }
        kind.push(letter.to_ascii_lowercase());
        kind
    });
    json!({ "kind": kind, "plugin": lint.plugin, "tool": lint.tool, "message": lint.message })
}
