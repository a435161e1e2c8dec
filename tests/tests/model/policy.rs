//! The model of SPEC §4 (names) and §5: who offers what, and what the player decided about it.

use std::collections::{BTreeMap, BTreeSet};

/// allow < ask < deny (R-POL-2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mode {
    Allow,
    Ask,
    Deny,
}

impl Mode {
    pub(crate) fn as_str(self) -> &'static str {
        ["allow", "ask", "deny"][self as usize]
    }

    /// 0: back to the default.
    pub(crate) fn of(number: u8) -> Option<Self> {
        [None, Some(Self::Allow), Some(Self::Ask), Some(Self::Deny)][usize::from(number % 4)]
    }
}

/// R-DEF-4's table; no other critical one is used here.
pub(crate) fn is_critical(capability: &str) -> bool {
    capability == "discard_items"
}

/// A registered tool. Its effective capabilities: `read_game` first (R-DEF-4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) owner: usize,
    pub(crate) acting: Vec<&'static str>,
}

impl Tool {
    pub(crate) fn reads(&self) -> bool {
        self.acting.is_empty()
    }

    pub(crate) fn critical(&self) -> bool {
        self.acting.iter().any(|capability| is_critical(capability))
    }

    pub(crate) fn declares(&self, capability: &str) -> bool {
        capability == "read_game" || self.acting.contains(&capability)
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    pub(crate) tools: BTreeSet<String>,
    pub(crate) acting: BTreeSet<&'static str>,
}

impl Seen {
    pub(crate) fn of<'a>(tools: impl Iterator<Item = &'a Tool>) -> Self {
        let mut seen = Self::default();
        for tool in tools {
            seen.tools.insert(tool.name.clone());
            seen.acting.extend(&tool.acting);
        }
        seen
    }

    fn includes(&self, other: &Self) -> bool {
        other.tools.is_subset(&self.tools) && other.acting.is_subset(&self.acting)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Policy {
    pub(crate) enabled: bool,
    pub(crate) awaiting: bool,
    pub(crate) suspended: bool,
    pub(crate) reviewed: Option<Seen>,
    pub(crate) capabilities: BTreeMap<&'static str, Mode>,
    pub(crate) tools: BTreeMap<String, Mode>,
}

impl Policy {
    /// R-POL-1.
    pub(crate) fn state(&self) -> &'static str {
        match (self.suspended, self.enabled, self.awaiting, &self.reviewed) {
            (true, ..) => "suspended",
            (_, true, true, _) => "awaiting_consent",
            (_, true, ..) => "enabled",
            (_, _, _, Some(_)) => "kept_disabled",
            _ => "undecided",
        }
    }

    pub(crate) fn can_run(&self) -> bool {
        self.state() == "enabled"
    }

    /// R-POL-2.
    pub(crate) fn capability(&self, capability: &str) -> Mode {
        let default = if capability == "read_game" { Mode::Allow } else { Mode::Ask };
        let mode = self.capabilities.get(capability).copied().unwrap_or(default);
        if is_critical(capability) { mode.max(Mode::Ask) } else { mode }
    }

    fn strictest(&self, acting: &[&str]) -> Mode {
        acting
            .iter()
            .map(|capability| self.capability(capability))
            .max()
            .unwrap_or_else(|| self.capability("read_game"))
    }

    /// R-POL-3.
    pub(crate) fn tool(&self, tool: &Tool) -> Mode {
        let mode = self.tools.get(&tool.name).copied().unwrap_or_else(|| self.strictest(&tool.acting));
        if tool.critical() { mode.max(Mode::Ask) } else { mode }
    }

    /// R-POL-4.
    pub(crate) fn told(&self, mode: Mode) -> Mode {
        if self.can_run() { mode } else { Mode::Deny }
    }

    /// What the plugin may do at most with a tool of somebody else (R-JOB-12).
    pub(crate) fn of_use(&self, acting: &[&str]) -> Mode {
        self.told(self.strictest(acting))
    }

    /// R-APP-3.
    pub(crate) fn approval(&self, tool: &Tool, capability: &str) -> Mode {
        let mode = if self.tools.contains_key(&tool.name) { self.tool(tool) } else { self.capability(capability) };
        self.told(if is_critical(capability) { mode.max(Mode::Ask) } else { mode })
    }

    /// R-POL-5: consents to exactly what was seen.
    pub(crate) fn enable(&mut self, seen: Seen, offered: &Seen) {
        self.enabled = true;
        self.awaiting = !seen.includes(offered);
        self.reviewed = Some(seen);
    }

    /// R-POL-7.
    pub(crate) fn keep_disabled(&mut self, seen: Seen) {
        self.enabled = false;
        self.awaiting = false;
        self.reviewed = Some(seen);
    }

    /// R-POL-6.
    pub(crate) fn registers(&mut self, tool: &Tool) {
        let grows = match &self.reviewed {
            Some(seen) => !seen.includes(&Seen::of(std::iter::once(tool))),
            None => !tool.reads(),
        };
        self.awaiting |= self.enabled && grows;
    }
}
