//! Capabilities: what a tool may do to the game, and how the host treats each (SPEC §4).
//!
//! Ids are never renamed, only added, so an id that this version does not know is carried as it came.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::policy::PermissionMode;

open_enum! {
    /// The id of a capability. Ordered as `ListCapabilities` lists them, unknown ones after the known.
    ///
    /// ```
    /// use xivmcp_protocol::{Capability, PermissionMode, Risk};
    ///
    /// assert_eq!(Capability::from("spend_gil"), Capability::SpendGil);
    /// assert_eq!(Capability::SpendGil.risk(), Some(Risk::High));
    /// assert_eq!(Capability::SpendGil.default_mode(), PermissionMode::Ask);
    /// assert_eq!(Capability::ALL.len(), 13);
    /// assert!(!Capability::from("time_travel").is_known());
    /// ```
    #[derive(PartialOrd, Ord)]
    pub enum Capability {
        /// Reading what the game knows. The only one that changes nothing.
        ReadGame = "read_game",
        /// Opening, closing and clicking game windows.
        GameUi = "game_ui",
        /// Moving the character, also to other zones and worlds.
        MoveCharacter = "move_character",
        /// Fighting.
        Combat = "combat",
        /// Moving items between bags, chest and retainers.
        MoveItems = "move_items",
        /// Spending gil.
        SpendGil = "spend_gil",
        /// Spending other currencies.
        SpendCurrency = "spend_currency",
        /// Giving items to others.
        TradeItems = "trade_items",
        /// Destroying items for good.
        DiscardItems = "discard_items",
        /// Writing to chat.
        ChatSend = "chat_send",
        /// Logging in and out, and changing the character.
        Login = "login",
        /// Changing settings of the game or of plugins.
        EditSettings = "edit_settings",
        /// Sending data to servers other than the game's.
        Network = "network",
    }
}

open_enum! {
    /// How much a capability can harm. Ordered; a risk that this version does not know counts as the highest.
    ///
    /// ```
    /// use xivmcp_protocol::Risk;
    ///
    /// assert!(Risk::Low < Risk::Medium && Risk::High < Risk::Critical);
    /// assert!(Risk::from("apocalyptic") > Risk::Critical);
    /// ```
    #[derive(PartialOrd, Ord)]
    pub enum Risk {
        /// It changes nothing.
        Low = "low",
        /// Changes that are easily undone.
        Medium = "medium",
        /// Changes that cost something, or that others see.
        High = "high",
        /// Changes that cannot be undone; never allowed without a question (R-POL-2).
        Critical = "critical",
    }
}

impl Capability {
    /// How much it can harm; nothing for an id that this version does not know.
    ///
    /// ```
    /// use xivmcp_protocol::{Capability, Risk};
    ///
    /// assert_eq!(Capability::DiscardItems.risk(), Some(Risk::Critical));
    /// assert_eq!(Capability::from("time_travel").risk(), None);
    /// ```
    #[must_use]
    pub fn risk(&self) -> Option<Risk> {
        Some(match self {
            Self::ReadGame => Risk::Low,
            Self::GameUi | Self::MoveCharacter | Self::MoveItems | Self::Network => Risk::Medium,
            Self::Combat
            | Self::SpendGil
            | Self::SpendCurrency
            | Self::TradeItems
            | Self::ChatSend
            | Self::Login
            | Self::EditSettings => Risk::High,
            Self::DiscardItems => Risk::Critical,
            Self::Other(_) => return None,
        })
    }

    /// The mode while the player has set none. An unknown capability is denied (R-POL-2).
    ///
    /// ```
    /// use xivmcp_protocol::{Capability, PermissionMode};
    ///
    /// assert_eq!(Capability::ReadGame.default_mode(), PermissionMode::Allow);
    /// assert_eq!(Capability::from("time_travel").default_mode(), PermissionMode::Deny);
    /// ```
    #[must_use]
    pub fn default_mode(&self) -> PermissionMode {
        match self {
            Self::ReadGame => PermissionMode::Allow,
            Self::Other(_) => PermissionMode::Deny,
            _ => PermissionMode::Ask,
        }
    }

    /// Whether it changes something: all but `read_game` do, unknown ones too.
    ///
    /// ```
    /// use xivmcp_protocol::Capability;
    ///
    /// assert!(Capability::Network.is_acting());
    /// assert!(!Capability::ReadGame.is_acting());
    /// ```
    #[must_use]
    pub fn is_acting(&self) -> bool {
        *self != Self::ReadGame
    }

    /// Whether its risk is critical, so that the player is asked even where the setting is `allow`.
    ///
    /// ```
    /// assert!(xivmcp_protocol::Capability::DiscardItems.is_critical());
    /// ```
    #[must_use]
    pub fn is_critical(&self) -> bool {
        self.risk() == Some(Risk::Critical)
    }

    /// All known ids in one line, for messages that say what would be right.
    pub(crate) fn valid_ids() -> String {
        Self::ALL.iter().map(Self::as_str).collect::<Vec<_>>().join(", ")
    }

    /// What the player reads: a title and a sentence. Empty for an unknown id.
    fn words(&self) -> (&'static str, &'static str) {
        match self {
            Self::ReadGame => ("Read the game", "Looks at your character, bags and surroundings. Changes nothing."),
            Self::GameUi => ("Use game windows", "Opens, closes and clicks windows of the game."),
            Self::MoveCharacter => {
                ("Move your character", "Walks, mounts and teleports, also to other zones and worlds.")
            }
            Self::Combat => ("Fight", "Uses combat actions. Your character can die, and may be moved."),
            Self::MoveItems => ("Move items", "Moves items between your bags, saddlebag, armoury and retainers."),
            Self::SpendGil => ("Spend gil", "Pays with your gil, for example at vendors or on the market board."),
            Self::SpendCurrency => ("Spend currencies", "Pays with tomestones, seals, scrips and other currencies."),
            Self::TradeItems => ("Give items away", "Trades, sells or hands over your items."),
            Self::DiscardItems => ("Destroy items", "Discards or desynthesises items. They are gone for good."),
            Self::ChatSend => ("Write in chat", "Sends messages that other players can read."),
            Self::Login => ("Log in and out", "Logs in, logs out and switches characters."),
            Self::EditSettings => ("Change settings", "Changes settings of the game or of plugins."),
            Self::Network => ("Use the internet", "Sends data to servers other than the game's."),
            Self::Other(_) => ("", ""),
        }
    }
}

/// A capability's id with the mode that holds for it, as `RegisterTool` and `GetStatus` tell it.
///
/// ```
/// use xivmcp_protocol::{Capability, CapabilityMode, PermissionMode};
///
/// let entry = CapabilityMode::new(Capability::Combat, PermissionMode::Ask);
/// assert_eq!(serde_json::to_string(&entry)?, r#"{"id":"combat","mode":"ask"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CapabilityMode {
    /// The capability.
    pub id: Capability,
    /// The mode that holds for it.
    pub mode: PermissionMode,
}

impl CapabilityMode {
    /// An entry. See the type.
    ///
    /// ```
    /// use xivmcp_protocol::{Capability, CapabilityMode, PermissionMode};
    ///
    /// assert_eq!(CapabilityMode::new(Capability::Combat, PermissionMode::Ask).mode, PermissionMode::Ask);
    /// ```
    #[must_use]
    pub fn new(id: Capability, mode: PermissionMode) -> Self {
        Self { id, mode }
    }
}

/// One entry of `ListCapabilities`.
///
/// ```
/// use xivmcp_protocol::{Capability, CapabilityInfo};
///
/// let info = CapabilityInfo::of(&Capability::SpendGil).unwrap();
/// assert_eq!(info.title, "Spend gil");
/// assert_eq!(CapabilityInfo::of(&Capability::from("time_travel")), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CapabilityInfo {
    /// The id that definitions use.
    pub id: Capability,
    /// How much it can harm.
    pub risk: Risk,
    /// A few words for a list.
    pub title: String,
    /// A sentence for the player who decides.
    pub description: String,
    /// The mode while the player has set none.
    pub default: PermissionMode,
}

impl CapabilityInfo {
    /// What this version says about a capability; nothing for an id that it does not know. See the type for an example.
    ///
    /// ```
    /// use xivmcp_protocol::{Capability, CapabilityInfo, Risk};
    ///
    /// assert_eq!(CapabilityInfo::of(&Capability::DiscardItems).unwrap().risk, Risk::Critical);
    /// ```
    #[must_use]
    pub fn of(capability: &Capability) -> Option<Self> {
        let risk = capability.risk()?;
        let (title, description) = capability.words();
        Some(Self {
            id: capability.clone(),
            risk,
            title: title.to_owned(),
            description: description.to_owned(),
            default: capability.default_mode(),
        })
    }
}

/// What `ListCapabilities` replies.
///
/// ```
/// use xivmcp_protocol::{Capability, ListCapabilitiesReply};
///
/// let reply = ListCapabilitiesReply::known();
/// assert_eq!(reply.capabilities[0].id, Capability::ReadGame);
/// assert_eq!(reply.capabilities[12].id, Capability::Network);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct ListCapabilitiesReply {
    /// The capabilities in the host's order.
    pub capabilities: Vec<CapabilityInfo>,
}

impl ListCapabilitiesReply {
    /// All capabilities of this version, in the order of SPEC §4. See the type for an example.
    ///
    /// ```
    /// assert_eq!(xivmcp_protocol::ListCapabilitiesReply::known().capabilities.len(), 13);
    /// ```
    #[must_use]
    pub fn known() -> Self {
        Self { capabilities: Capability::ALL.iter().filter_map(CapabilityInfo::of).collect() }
    }
}
