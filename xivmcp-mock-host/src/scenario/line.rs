//! One line of a scenario: which verb, with which fields. What a line may not say is found here, before anything plays.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::matching;
use super::names::used_names;

/// A line that is a step.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// The line's number, from 1.
    pub(super) line: usize,
    pub(super) verb: Verb,
    /// All fields, as values.
    pub(super) fields: Map<String, Value>,
    /// All fields, byte for byte.
    raw: BTreeMap<String, Box<RawValue>>,
}

/// The verbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Install,
    Uninstall,
    Gate,
    Provide,
    Unprovide,
    Player,
    Assistant,
    Builtin,
    Game,
    Job,
    Calls,
    Audit,
    Advance,
    Host,
    Subscribe,
}

/// Verb, its key, and the other fields that it may have.
const VERBS: [(Verb, &str, &[&str]); 15] = [
    (Verb::Gate, "gate", &["as", "args"]),
    (Verb::Provide, "provide", &["as", "tool", "reply", "fails", "during"]),
    (Verb::Unprovide, "unprovide", &["as"]),
    (Verb::Subscribe, "subscribe", &["as", "during"]),
    (Verb::Install, "install", &["name", "version", "loaded"]),
    (Verb::Uninstall, "uninstall", &[]),
    (Verb::Player, "player", &["plugin", "capability", "tool", "mode", "group", "access", "on", "builtin", "with"]),
    (Verb::Assistant, "assistant", &["tool", "args", "id", "all", "job", "action", "steps", "resume"]),
    (Verb::Builtin, "builtin", &["result", "error", "takes"]),
    (Verb::Game, "game", &[]),
    (Verb::Job, "job", &[]),
    (Verb::Calls, "calls", &[]),
    (Verb::Audit, "audit", &["all"]),
    (Verb::Advance, "advance", &[]),
    (Verb::Host, "host", &[]),
];

impl Step {
    /// Reads a line that is neither blank nor a comment.
    pub(super) fn read(line: usize, text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| format!("no JSON: {error}"))?;
        let Value::Object(fields) = value else { return Err(format!("an object is needed, this is {value}")) };
        // `player` and `assistant` steps have fields that are verbs elsewhere.
        let first = ["player", "assistant"].iter().find(|key| fields.contains_key(**key));
        let found = VERBS.iter().filter(|(_, key, _)| match first {
            Some(first) => key == first,
            None => fields.contains_key(*key),
        });
        let found: Vec<_> = found.collect();
        let [(verb, key, others)] = found[..] else {
            let keys: Vec<&str> = VERBS.iter().map(|(_, key, _)| *key).collect();
            let keys = keys.join(", ");
            return Err(match found.as_slice() {
                [] => format!("no verb; the verbs are {keys}"),
                more => format!(
                    "more than one verb: {}",
                    more.iter().map(|(_, key, _)| *key).collect::<Vec<_>>().join(", ")
                ),
            });
        };
        if let Some(unknown) = fields
            .keys()
            .find(|field| field != key && !others.contains(&&***field) && *field != "expect" && *field != "save")
        {
            let known = if others.is_empty() { "none".to_owned() } else { others.join(", ") };
            return Err(format!("{key} has no field `{unknown}`; its fields are: {known}; any step: expect, save"));
        }
        let raw = serde_json::from_str(text).map_err(|error| format!("no JSON: {error}"))?;
        let step = Self { line, verb: *verb, fields, raw };
        step.check(key)?;
        Ok(step)
    }

    fn check(&self, key: &str) -> Result<(), String> {
        if !matches!(self.verb, Verb::Game) {
            self.text(key)?;
        }
        if let Some(expected) = self.fields.get("expect") {
            matching::check(expected)?;
        }
        if self.fields.contains_key("save") {
            self.text("save")?;
        }
        match self.verb {
            Verb::Gate => {
                self.text("as")?;
                self.array("args")?;
            }
            Verb::Provide | Verb::Unprovide => {
                self.text("as")?;
                self.one_of(key, &["Invoke", "Cancel"])?;
                self.optional_text("tool")?;
                self.optional_text("fails")?;
                self.during()?;
            }
            Verb::Subscribe => {
                self.text("as")?;
                self.one_of(key, &["Ready", "Disposing"])?;
                self.during()?;
            }
            Verb::Install => {
                self.optional_text("name")?;
                self.optional_text("version")?;
                self.flag("loaded")?;
            }
            Verb::Player => self.check_player()?,
            Verb::Assistant => self.check_assistant()?,
            Verb::Builtin => {
                self.optional_text("error")?;
                self.span("takes")?;
                if self.fields.contains_key("result") && self.fields.contains_key("error") {
                    return Err("a tool has either a `result` or an `error`".to_owned());
                }
            }
            Verb::Game => {
                super::game::change(self.fields.get("game").unwrap_or(&Value::Null))?;
            }
            Verb::Audit => _ = self.flag("all")?,
            Verb::Advance => _ = self.span("advance")?,
            Verb::Host => self.one_of("host", &["unload", "load"])?,
            Verb::Uninstall | Verb::Job | Verb::Calls => {}
        }
        Ok(())
    }

    fn check_player(&self) -> Result<(), String> {
        self.one_of("player", &["enable", "keep_disabled", "lift", "clear_session", "set", "questions", "answer"])?;
        match self.text("player")? {
            "questions" => Ok(()),
            "answer" => self.one_of("with", &["once", "session", "always", "denied"]),
            "set" => {
                self.flag("on")?;
                self.mode()?;
                let targets = ["plugin", "group", "builtin"];
                match targets.iter().filter(|target| self.fields.contains_key(**target)).count() {
                    1 => {}
                    _ => return Err("`set` needs one of `plugin`, `group` and `builtin`".to_owned()),
                }
                if self.fields.contains_key("plugin") {
                    self.text("plugin")?;
                    if self.fields.contains_key("tool") == self.fields.contains_key("capability") {
                        return Err("`set` of a plugin needs either `capability` or `tool`".to_owned());
                    }
                    self.optional_text("tool")?;
                    self.optional_text("capability")?;
                }
                if self.fields.contains_key("group") && !self.fields.contains_key("on") {
                    self.one_of("access", &["read", "write"])?;
                }
                if !self.fields.contains_key("on") && !self.fields.contains_key("mode") {
                    return Err("`set` needs a `mode`: allow, ask, deny, or null for the default".to_owned());
                }
                Ok(())
            }
            _ => self.text("plugin").map(drop),
        }
    }

    fn check_assistant(&self) -> Result<(), String> {
        self.one_of("assistant", &["tools", "call", "outcome", "give_up", "update_job"])?;
        self.optional_text("id")?;
        match self.text("assistant")? {
            "tools" => self.flag("all").map(drop),
            "call" => self.text("tool").map(drop),
            "update_job" => {
                self.text("job")?;
                self.text("action")?;
                self.flag("resume").map(drop)
            }
            _ => self.text("id").map(drop),
        }
    }

    /// A field that must be there and be text.
    pub(super) fn text(&self, key: &str) -> Result<&str, String> {
        match self.fields.get(key) {
            Some(Value::String(text)) => Ok(text),
            Some(other) => Err(format!("`{key}` must be text, this is {other}")),
            None => Err(format!("`{key}` is missing")),
        }
    }

    /// A field that may be missing.
    pub(super) fn optional_text(&self, key: &str) -> Result<Option<&str>, String> {
        if self.fields.contains_key(key) { self.text(key).map(Some) } else { Ok(None) }
    }

    fn one_of(&self, key: &str, known: &[&str]) -> Result<(), String> {
        let text = self.text(key)?;
        if known.contains(&text) {
            Ok(())
        } else {
            Err(format!("`{key}` is one of {}, not {text:?}", known.join(", ")))
        }
    }

    /// `true` or `false`, if it is there.
    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>, String> {
        match self.fields.get(key) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(other) => Err(format!("`{key}` must be true or false, this is {other}")),
        }
    }

    /// An array, empty if it is missing.
    pub(super) fn array(&self, key: &str) -> Result<&[Value], String> {
        match self.fields.get(key) {
            None => Ok(&[]),
            Some(Value::Array(items)) => Ok(items),
            Some(other) => Err(format!("`{key}` must be an array, this is {other}")),
        }
    }

    /// The items of an array, byte for byte; none if it is no array.
    pub(super) fn raw_items(&self, key: &str) -> Vec<&str> {
        let items: Option<Vec<&RawValue>> = self.raw(key).and_then(|text| serde_json::from_str(text).ok());
        items.unwrap_or_default().into_iter().map(RawValue::get).collect()
    }

    /// A field byte for byte, if it is there.
    pub(super) fn raw(&self, key: &str) -> Option<&str> {
        self.raw.get(key).map(|text| text.get())
    }

    /// A mode, or null.
    pub(super) fn mode(&self) -> Result<Option<&str>, String> {
        match self.fields.get("mode") {
            None | Some(Value::Null) => Ok(None),
            Some(_) => {
                self.one_of("mode", &["allow", "ask", "deny"])?;
                self.text("mode").map(Some)
            }
        }
    }

    /// A span of time, if it is there: `250ms`, `30s`, `2m`, `1h`, `7d`.
    pub(super) fn span(&self, key: &str) -> Result<Option<Duration>, String> {
        let Some(text) = self.optional_text(key)? else { return Ok(None) };
        span(text).map(Some).ok_or_else(|| {
            format!(
                "`{key}` is a number with ms, s, m, h or d behind it, such as \"30s\", and at most 10000d; not {text:?}"
            )
        })
    }

    /// The steps inside a call of the plugin.
    pub(super) fn during(&self) -> Result<Vec<Step>, String> {
        let mut steps = Vec::new();
        self.array("during")?;
        for text in self.raw_items("during") {
            let step = Self::read(self.line, text).map_err(|reason| format!("inside `during`: {reason}"))?;
            if step.verb != Verb::Gate {
                return Err("inside `during` there are gate steps only".to_owned());
            }
            steps.push(step);
        }
        Ok(steps)
    }

    /// The names that the step saves, and those it uses.
    pub(super) fn names(&self) -> (Vec<String>, Vec<String>) {
        let mut saves: Vec<String> = self.text("save").map(str::to_owned).into_iter().collect();
        for step in self.during().unwrap_or_default() {
            saves.extend(step.text("save").map(str::to_owned));
        }
        let mut used = Vec::new();
        self.fields.values().for_each(|value| used_names(value, &mut used));
        (saves, used)
    }
}

fn span(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let number: u64 = text[..digits].parse().ok()?;
    let unit = match &text[digits..] {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    let millis = number.checked_mul(unit).filter(|millis| *millis <= 10_000 * 86_400_000)?;
    Some(Duration::from_millis(millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_step_says_why() {
        let cases = [
            ("{", "no JSON"),
            ("[]", "an object is needed"),
            ("{}", "no verb"),
            (r#"{"gate": "X", "job": "Y"}"#, "more than one verb: gate, job"),
            (r#"{"gate": "IsReady"}"#, "`as` is missing"),
            (r#"{"gate": "IsReady", "as": "A", "arguments": []}"#, "no field `arguments`"),
            (r#"{"advance": "2 minutes"}"#, "30s"),
            (r#"{"advance": 5}"#, "must be text"),
            (r#"{"advance": "99999999999999999999d"}"#, "10000d"),
            (r#"{"player": "enabel", "plugin": "A"}"#, "keep_disabled"),
            (r#"{"player": "set", "plugin": "A", "tool": "t"}"#, "needs a `mode`"),
            (r#"{"player": "set", "plugin": "A", "tool": "t", "mode": "allowed"}"#, "allow, ask, deny"),
            (r#"{"provide": "Invok", "as": "A"}"#, "Invoke, Cancel"),
            (r#"{"provide": "Invoke", "as": "A", "during": [{"advance": "1s"}]}"#, "gate steps only"),
            (r#"{"audit": "A", "expect": "/(/"}"#, "no regular expression"),
            (r#"{"game": {"gold": 5}}"#, "gold"),
        ];
        for (line, reason) in cases {
            let error = Step::read(1, line).map(drop).unwrap_err();
            assert!(error.contains(reason), "{line}: {error}");
        }
    }

    #[test]
    fn spans_have_their_units() {
        let cases = [("250ms", 250), ("30s", 30_000), ("2m", 120_000), ("1h", 3_600_000), ("7d", 604_800_000)];
        for (text, millis) in cases {
            assert_eq!(span(text), Some(Duration::from_millis(millis)));
        }
    }

    #[test]
    fn fields_that_are_verbs_elsewhere_are_fields_in_player_and_assistant_steps() {
        let step = Step::read(1, r#"{"assistant": "update_job", "job": "x", "action": "retry"}"#).unwrap();
        assert_eq!(step.verb, Verb::Assistant);
        let step = Step::read(1, r#"{"player": "set", "builtin": "navigate_to", "mode": null}"#).unwrap();
        assert_eq!(step.verb, Verb::Player);
    }
}
