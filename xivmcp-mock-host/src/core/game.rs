//! The game: what calls can change, and what they did change (SPEC §8).

use std::collections::BTreeMap;

use xivmcp_protocol::Capability;

/// The state of the game, as far as the host watches it (SPEC §8). A new host has a character in zone 129 of world 66 with
/// 1,000,000 gil, 100 items and 1,000 of any currency.
///
/// ```
/// use xivmcp_mock_host::{GameState, MockHost};
///
/// let host = MockHost::simulated();
/// assert_eq!(host.game().state(), GameState::default());
/// assert_eq!((host.game().state().gil, host.game().state().items), (1_000_000, 100));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameState {
    /// Whether a character is in the game.
    pub logged_in: bool,
    /// Which character: its content id.
    pub character: u64,
    /// The zone.
    pub zone: u32,
    /// The world.
    pub world: u32,
    /// Gil.
    pub gil: i64,
    /// How many items the character carries.
    pub items: i64,
    /// How many lines of chat were sent.
    pub chat: i64,
    /// Currencies by id; one that is missing stands at 1,000.
    pub currency: BTreeMap<u32, i64>,
}

/// A change of the game: numbers of gil, items, chat and currency are added, the rest replaces.
///
/// ```
/// use xivmcp_mock_host::{GameChange, MockHost};
///
/// let host = MockHost::simulated();
/// host.game().change(GameChange::new().gil(-300).currency(28, -5).zone(130));
/// let game = host.game().state();
/// assert_eq!((game.gil, game.currency(28), game.zone), (999_700, 995, 130));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameChange {
    /// Logs in (`true`) or out.
    pub logged_in: Option<bool>,
    /// Another character.
    pub character: Option<u64>,
    /// Another zone.
    pub zone: Option<u32>,
    /// Another world.
    pub world: Option<u32>,
    /// Gil gained, or spent if negative.
    pub gil: i64,
    /// Items gained, or removed if negative.
    pub items: i64,
    /// Lines of chat sent.
    pub chat: i64,
    /// Currency gained, or spent if negative, by id.
    pub currency: BTreeMap<u32, i64>,
}

/// What a currency stands at that nobody has touched yet.
const CURRENCY_AT_FIRST: i64 = 1000;

/// A change of the game that a call made, and which capabilities cover it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SideEffect {
    /// Its name in the audit log.
    pub(super) effect: &'static str,
    pub(super) detail: String,
    covered_by: &'static [Capability],
}

impl Default for GameState {
    /// A character in zone 129 of world 66 with 1,000,000 gil, 100 items and 1,000 of any currency.
    fn default() -> Self {
        Self {
            logged_in: true,
            character: 1,
            zone: 129,
            world: 66,
            gil: 1_000_000,
            items: 100,
            chat: 0,
            currency: BTreeMap::new(),
        }
    }
}

impl GameState {
    /// How much there is of a currency; 1,000 of one that nobody has touched yet.
    ///
    /// ```
    /// # use xivmcp_mock_host::{GameChange, MockHost};
    /// let host = MockHost::simulated();
    /// host.game().change(GameChange::new().currency(28, -5));
    /// assert_eq!((host.game().state().currency(28), host.game().state().currency(29)), (995, 1_000));
    /// ```
    #[must_use]
    pub fn currency(&self, id: u32) -> i64 {
        self.currency.get(&id).copied().unwrap_or(CURRENCY_AT_FIRST)
    }

    pub(super) fn apply(&mut self, change: &GameChange) {
        self.logged_in = change.logged_in.unwrap_or(self.logged_in);
        self.character = change.character.unwrap_or(self.character);
        self.zone = change.zone.unwrap_or(self.zone);
        self.world = change.world.unwrap_or(self.world);
        self.gil = self.gil.saturating_add(change.gil);
        self.items = self.items.saturating_add(change.items);
        self.chat = self.chat.saturating_add(change.chat);
        for (id, amount) in &change.currency {
            let now = self.currency(*id).saturating_add(*amount);
            self.currency.insert(*id, now);
        }
    }

    /// What has happened since `before` (R-SIDE-1). Gains are no effect.
    pub(super) fn effects_since(&self, before: &Self) -> Vec<SideEffect> {
        use Capability::{
            ChatSend, Combat, DiscardItems, Login, MoveCharacter, MoveItems, SpendCurrency, SpendGil, TradeItems,
        };
        let mut effects = Vec::new();
        let mut push = |effect, covered_by, detail| effects.push(SideEffect { effect, detail, covered_by });
        if !before.logged_in {
            return effects;
        }
        if !self.logged_in || self.character != before.character {
            let detail = if self.logged_in { "switched to another character" } else { "logged out" };
            push("logged_out_or_switched", &[Login], detail.to_owned());
            return effects;
        }
        if (self.zone, self.world) != (before.zone, before.world) {
            let mut parts = Vec::new();
            if self.zone != before.zone {
                parts.push(format!("zone {} to {}", before.zone, self.zone));
            }
            if self.world != before.world {
                parts.push(format!("world {} to {}", before.world, self.world));
            }
            push("moved", &[MoveCharacter, Combat], parts.join(", "));
        }
        if self.gil < before.gil {
            push("spent_gil", &[SpendGil], format!("{} gil", before.gil.saturating_sub(self.gil)));
        }
        for (id, now) in &self.currency {
            let then = before.currency(*id);
            if *now < then {
                push("spent_currency", &[SpendCurrency], format!("{} of currency {id}", then.saturating_sub(*now)));
            }
        }
        if self.items < before.items {
            let detail = format!("{} items", before.items.saturating_sub(self.items));
            push("items_removed", &[MoveItems, TradeItems, DiscardItems, SpendCurrency], detail);
        }
        if self.chat > before.chat {
            push("chat_sent", &[ChatSend], format!("{} messages", self.chat.saturating_sub(before.chat)));
        }
        effects
    }
}

impl SideEffect {
    pub(super) fn is_covered(&self, declared: &[Capability]) -> bool {
        self.covered_by.iter().any(|capability| declared.contains(capability))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change() -> GameChange {
        GameChange::default()
    }

    fn effects(changes: &[GameChange]) -> Vec<(&'static str, String)> {
        let before = GameState::default();
        let mut game = before.clone();
        changes.iter().for_each(|change| game.apply(change));
        game.effects_since(&before).into_iter().map(|effect| (effect.effect, effect.detail)).collect()
    }

    // R-SIDE-1
    #[test]
    fn losses_are_effects_and_gains_are_none() {
        let currency = |amount| GameChange { currency: [(28, amount)].into(), ..change() };
        let cases: [(GameChange, &[&str]); 11] = [
            (change(), &[]),
            (GameChange { gil: -1, ..change() }, &["spent_gil"]),
            (GameChange { gil: 5, ..change() }, &[]),
            (currency(-3), &["spent_currency"]),
            (currency(3), &[]),
            (GameChange { items: -1, ..change() }, &["items_removed"]),
            (GameChange { items: 1, ..change() }, &[]),
            (GameChange { chat: 1, ..change() }, &["chat_sent"]),
            (GameChange { zone: Some(130), ..change() }, &["moved"]),
            (GameChange { world: Some(67), ..change() }, &["moved"]),
            (GameChange { logged_in: Some(false), gil: -1, zone: Some(1), ..change() }, &["logged_out_or_switched"]),
        ];
        for (change, expected) in cases {
            let names: Vec<_> = effects(std::slice::from_ref(&change)).into_iter().map(|(effect, _)| effect).collect();
            assert_eq!(names, expected, "{change:?}");
        }
    }

    // R-SIDE-1
    #[test]
    fn another_character_is_one_effect_and_without_one_nothing_is_compared() {
        let switched = GameChange { character: Some(2), items: -5, ..change() };
        assert_eq!(effects(&[switched])[0].0, "logged_out_or_switched");
        let before = GameState { logged_in: false, ..GameState::default() };
        let mut game = before.clone();
        game.apply(&GameChange { logged_in: Some(true), gil: -9, ..change() });
        assert_eq!(game.effects_since(&before), []);
    }

    #[test]
    fn each_effect_says_how_much() {
        let spent = GameChange { gil: -120, currency: [(28, -5), (29, -1)].into(), ..change() };
        assert_eq!(
            effects(&[spent]),
            [
                ("spent_gil", "120 gil".to_owned()),
                ("spent_currency", "5 of currency 28".to_owned()),
                ("spent_currency", "1 of currency 29".to_owned())
            ]
        );
    }

    // SPEC §8, the table
    #[test]
    fn an_effect_is_covered_by_the_capabilities_of_its_row() {
        let changes = GameChange { zone: Some(1), gil: -1, currency: [(1, -1)].into(), items: -1, chat: 1, ..change() };
        let mut game = GameState::default();
        game.apply(&changes);
        let all = game.effects_since(&GameState::default());
        let covers = |id: &str| {
            let declared = [Capability::ReadGame, Capability::from(id)];
            all.iter().filter(|effect| effect.is_covered(&declared)).map(|effect| effect.effect).collect::<Vec<_>>()
        };
        assert_eq!(covers("move_character"), ["moved"]);
        assert_eq!(covers("combat"), ["moved"]);
        assert_eq!(covers("spend_gil"), ["spent_gil"]);
        assert_eq!(covers("spend_currency"), ["spent_currency", "items_removed"]);
        for id in ["move_items", "trade_items", "discard_items"] {
            assert_eq!(covers(id), ["items_removed"], "{id}");
        }
        assert_eq!(covers("chat_send"), ["chat_sent"]);
        for id in ["game_ui", "login", "edit_settings", "network"] {
            assert!(covers(id).is_empty(), "{id}");
        }
    }
}
