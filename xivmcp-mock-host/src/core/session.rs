//! The answers *for this session* (R-CALL-2, R-APP-3, R-JOB-12): who need not ask again for what.

use std::collections::BTreeSet;

use xivmcp_protocol::Capability;

use super::call::Asker;

/// One answer. `asker` is the key of the plugin that it was given to, or nothing for the assistant; `owner` the key of the
/// plugin whose tool it is; without `capability` it covers whole calls of the tool.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Grant {
    owner: String,
    tool: String,
    asker: Option<String>,
    capability: Option<Capability>,
}

/// All answers of this session.
#[derive(Debug, Default)]
pub(super) struct Session(BTreeSet<Grant>);

impl Session {
    /// Remembers an answer given to `asker`: for whole calls of the tool, or for one capability of it.
    pub(super) fn grant(&mut self, asker: &Asker, owner_key: &str, tool: &str, capability: Option<&Capability>) {
        self.0.insert(grant(asker.plugin_key(), owner_key, tool, capability));
    }

    /// Whether a call of the tool, or one capability in it, was answered already. What was given to a plugin covers that
    /// plugin alone. What was given to the assistant covers a plugin's jobs only where `shared` says so: with tools that
    /// follow their own plugin's settings, of which such an answer is one.
    pub(super) fn covers(
        &self,
        asker: &Asker,
        owner_key: &str,
        tool: &str,
        capability: Option<&Capability>,
        shared: bool,
    ) -> bool {
        let given_to = |asker: Option<String>| {
            self.0.contains(&grant(asker.clone(), owner_key, tool, None))
                || capability.is_some_and(|id| self.0.contains(&grant(asker, owner_key, tool, Some(id))))
        };
        given_to(asker.plugin_key()) || shared && given_to(None)
    }

    /// Forgets the answers about a plugin's tools, and those given to the plugin.
    pub(super) fn forget(&mut self, key: &str) {
        self.0.retain(|grant| grant.owner != key && grant.asker.as_deref() != Some(key));
    }

    /// How many answers there are about a plugin's tools, and given to the plugin.
    #[cfg(feature = "server")]
    pub(super) fn count(&self, key: &str) -> usize {
        self.0.iter().filter(|grant| grant.owner == key || grant.asker.as_deref() == Some(key)).count()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

fn grant(asker: Option<String>, owner_key: &str, tool: &str, capability: Option<&Capability>) -> Grant {
    Grant { owner: owner_key.to_owned(), tool: tool.to_owned(), asker, capability: capability.cloned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plugin(name: &str) -> Asker {
        Asker::Plugin(name.into())
    }

    // R-JOB-12
    #[test]
    fn an_answer_given_to_a_plugin_covers_neither_the_assistant_nor_another_plugin() {
        let mut session = Session::default();
        session.grant(&plugin("A"), "xivmcp", "navigate_to", None);
        assert!(session.covers(&plugin("a"), "xivmcp", "navigate_to", None, false));
        for asker in [Asker::Assistant(None), plugin("B")] {
            assert!(!session.covers(&asker, "xivmcp", "navigate_to", None, true), "{asker}");
        }
    }

    // R-CALL-2, R-APP-3
    #[test]
    fn an_answer_covers_the_whole_call_or_one_capability_of_the_tool() {
        let (assistant, gil, chat) = (Asker::Assistant(None), Capability::SpendGil, Capability::ChatSend);
        let mut session = Session::default();
        session.grant(&assistant, "mine", "mine_go", Some(&gil));
        assert!(session.covers(&assistant, "mine", "mine_go", Some(&gil), true));
        assert!(!session.covers(&assistant, "mine", "mine_go", Some(&chat), true));
        assert!(!session.covers(&assistant, "mine", "mine_go", None, true), "the call itself is still asked for");
        assert!(!session.covers(&assistant, "mine", "mine_stop", Some(&gil), true));
        session.grant(&Asker::Assistant(Some("Other app".into())), "mine", "mine_go", None);
        assert!(session.covers(&assistant, "mine", "mine_go", Some(&chat), true));
        assert!(session.covers(&plugin("Mine"), "mine", "mine_go", None, true));
        assert!(!session.covers(&plugin("Mine"), "mine", "mine_go", None, false));
        session.forget("mine");
        assert!(session.0.is_empty());
    }
}
