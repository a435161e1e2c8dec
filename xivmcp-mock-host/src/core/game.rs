//! The game: what calls can change, and what they did change (SPEC §8).

use std::collections::BTreeMap;

/// The state of the game, as far as the host watches it.
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
