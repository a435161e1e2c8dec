//! The tools that plugins have registered (SPEC §4), in the order of registration.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use xivmcp_protocol::{Capability, CheckedDefinition};

use super::policy::Shown;

/// A tool that a plugin has registered.
#[derive(Debug)]
pub(super) struct Tool {
    /// The plugin's internal name, as Dalamud spelt it then; its gates are named after it.
    pub(super) owner: String,
    pub(super) owner_key: String,
    pub(super) definition: CheckedDefinition,
    /// The names of the arguments, where the schema says that there are no others.
    pub(super) arguments: Option<BTreeSet<String>>,
}

/// All tools of all plugins.
#[derive(Debug, Default)]
pub(super) struct Registry {
    by_name: HashMap<String, u64>,
    by_order: BTreeMap<u64, Arc<Tool>>,
    by_owner: HashMap<String, BTreeSet<u64>>,
    next: u64,
}

impl Tool {
    pub(super) fn name(&self) -> &str {
        self.definition.name().as_str()
    }

    pub(super) fn capabilities(&self) -> &[Capability] {
        self.definition.capabilities()
    }
}

impl Registry {
    pub(super) fn get(&self, name: &str) -> Option<&Arc<Tool>> {
        self.by_order.get(self.by_name.get(name)?)
    }

    /// Adds a tool, or replaces the one of that name in its place (R-DEF-5). The name must not be another plugin's.
    pub(super) fn insert(&mut self, tool: Tool) {
        let order = *self.by_name.entry(tool.name().to_owned()).or_insert_with(|| {
            self.next += 1;
            self.next
        });
        self.by_owner.entry(tool.owner_key.clone()).or_default().insert(order);
        self.by_order.insert(order, Arc::new(tool));
    }

    /// Removes a tool if it is that owner's (R-DEF-7).
    pub(super) fn remove(&mut self, owner_key: &str, name: &str) -> bool {
        let Some(order) = self.by_name.get(name).copied() else { return false };
        let Some(of_owner) = self.by_owner.get_mut(owner_key) else { return false };
        if !of_owner.remove(&order) {
            return false;
        }
        if of_owner.is_empty() {
            self.by_owner.remove(owner_key);
        }
        self.by_name.remove(name);
        self.by_order.remove(&order);
        true
    }

    /// Removes all tools of an owner. Gives how many there were.
    pub(super) fn remove_all(&mut self, owner_key: &str) -> usize {
        let of_owner = self.by_owner.remove(owner_key).unwrap_or_default();
        for order in &of_owner {
            if let Some(tool) = self.by_order.remove(order) {
                self.by_name.remove(tool.name());
            }
        }
        of_owner.len()
    }

    pub(super) fn clear(&mut self) {
        self.by_name.clear();
        self.by_order.clear();
        self.by_owner.clear();
    }

    /// All tools, in the order of registration (R-CALL-12).
    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.by_order.values()
    }

    /// The tools of one owner, in the order of registration.
    pub(super) fn of(&self, owner_key: &str) -> impl Iterator<Item = &Arc<Tool>> {
        self.by_owner.get(owner_key).into_iter().flatten().filter_map(|order| self.by_order.get(order))
    }

    /// What there is to see of an owner now (R-POL-5).
    pub(super) fn shown(&self, owner_key: &str) -> Shown {
        let mut shown = Shown::default();
        for tool in self.of(owner_key) {
            shown.tools.insert(tool.name().to_owned());
            shown.capabilities.extend(tool.capabilities().iter().cloned());
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(owner: &str, name: &str, capability: &str) -> Tool {
        let json = format!("{{\"name\":\"{name}\",\"description\":\"d\",\"capabilities\":[\"{capability}\"]}}");
        Tool {
            owner: owner.to_owned(),
            owner_key: owner.to_lowercase(),
            definition: CheckedDefinition::parse(&json).unwrap(),
            arguments: None,
        }
    }

    fn names(registry: &Registry) -> Vec<&str> {
        registry.all().map(|tool| tool.name()).collect()
    }

    // R-CALL-12, R-DEF-5
    #[test]
    fn tools_stay_in_the_order_of_registration_and_a_replaced_one_in_its_place() {
        let mut registry = Registry::default();
        for (owner, name) in [("B", "b_one"), ("A", "a_one"), ("B", "b_two")] {
            registry.insert(tool(owner, name, "game_ui"));
        }
        registry.insert(tool("B", "b_one", "combat"));
        assert_eq!(names(&registry), ["b_one", "a_one", "b_two"]);
        assert_eq!(registry.get("b_one").unwrap().capabilities()[1], Capability::Combat);
        assert_eq!(registry.shown("b").capabilities.len(), 3);
    }

    // R-DEF-7, R-OWN-4
    #[test]
    fn only_ones_own_tools_are_removed() {
        let mut registry = Registry::default();
        for (owner, name) in [("A", "a_one"), ("B", "b_one"), ("A", "a_two")] {
            registry.insert(tool(owner, name, "game_ui"));
        }
        assert!(!registry.remove("a", "b_one") && !registry.remove("a", "a_none") && !registry.remove("c", "a_one"));
        assert!(registry.remove("a", "a_one") && !registry.remove("a", "a_one"));
        assert_eq!(names(&registry), ["b_one", "a_two"]);
        assert_eq!((registry.remove_all("a"), registry.remove_all("a")), (1, 0));
        assert_eq!(names(&registry), ["b_one"]);
    }
}
