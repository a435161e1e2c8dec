//! Modes, states and capabilities, R-POL-1 to R-POL-4.

use xivmcp_protocol::{
    Capability, CapabilityInfo, ListCapabilitiesReply, PermissionMode, PluginState, Risk,
    policy::{StateFacts, capability_mode, mode_at_registration, mode_in_state, tool_mode},
};

use PermissionMode::{Allow, Ask, Deny};

#[test]
fn the_state_follows_from_four_facts() {
    // R-POL-1
    for bits in 0..16_u8 {
        let fact = |bit: u8| bits & (1 << bit) != 0;
        let facts = StateFacts { enabled: fact(0), suspended: fact(1), awaiting_consent: fact(2), reviewed: fact(3) };
        let state = if facts.suspended {
            PluginState::Suspended
        } else if facts.enabled && facts.awaiting_consent {
            PluginState::AwaitingConsent
        } else if facts.enabled {
            PluginState::Enabled
        } else if facts.reviewed {
            PluginState::KeptDisabled
        } else {
            PluginState::Undecided
        };
        assert_eq!(facts.state(), state, "{facts:?}");
        assert_eq!(state.can_run(), state == PluginState::Enabled);
    }
}

#[test]
fn modes_are_ordered_by_strictness_and_unknown_ones_deny() {
    // R-POL-2, R-CLI-7
    let odd = PermissionMode::from("Allow");
    let mut modes = vec![Deny, odd.clone(), Allow, Ask];
    modes.sort();
    assert_eq!(modes, [Allow, Ask, Deny, odd.clone()]);
    assert_eq!(odd.or_deny(), Deny);
}

#[test]
fn capabilities_have_the_risk_the_default_and_the_order_of_the_table() {
    // SPEC §4
    let table = [
        ("read_game", Risk::Low, Allow),
        ("game_ui", Risk::Medium, Ask),
        ("move_character", Risk::Medium, Ask),
        ("combat", Risk::High, Ask),
        ("move_items", Risk::Medium, Ask),
        ("spend_gil", Risk::High, Ask),
        ("spend_currency", Risk::High, Ask),
        ("trade_items", Risk::High, Ask),
        ("discard_items", Risk::Critical, Ask),
        ("chat_send", Risk::High, Ask),
        ("login", Risk::High, Ask),
        ("edit_settings", Risk::High, Ask),
        ("network", Risk::Medium, Ask),
    ];
    let listed = ListCapabilitiesReply::known().capabilities;
    assert_eq!(listed.len(), table.len());
    for (info, (id, risk, default)) in listed.iter().zip(table) {
        assert_eq!((info.id.as_str(), &info.risk, &info.default), (id, &risk, &default));
        assert!(!info.title.is_empty() && info.description.ends_with('.'));
        assert_eq!(info.id.is_acting(), id != "read_game");
    }
    assert_eq!(CapabilityInfo::of(&Capability::from("time_travel")), None);
}

#[test]
fn a_capability_has_its_setting_or_its_default() {
    // R-POL-2
    assert_eq!(capability_mode(&Capability::Combat, None), Ask);
    for setting in [Allow, Ask, Deny] {
        assert_eq!(capability_mode(&Capability::Combat, Some(&setting)), setting);
    }
    assert_eq!(capability_mode(&Capability::Combat, Some(&PermissionMode::from("odd"))), Deny);
    assert_eq!(capability_mode(&Capability::DiscardItems, Some(&Allow)), Ask);
    assert_eq!(capability_mode(&Capability::DiscardItems, Some(&Deny)), Deny);
    assert_eq!(capability_mode(&Capability::from("time_travel"), Some(&Allow)), Deny);
}

#[test]
fn a_tool_has_its_own_setting_or_that_of_its_strictest_acting_capability() {
    // R-POL-3
    use Capability::{Combat, DiscardItems, GameUi, ReadGame};
    let settings = |id: &Capability| match id {
        ReadGame | DiscardItems => Some(Allow),
        GameUi => Some(Deny),
        _ => None,
    };
    for (own, capabilities, mode) in [
        (None, &[ReadGame][..], Allow),
        (None, &[ReadGame, Combat], Ask),
        (None, &[ReadGame, Combat, GameUi], Deny),
        (Some(Allow), &[ReadGame, Combat, GameUi], Allow),
        (Some(Deny), &[ReadGame], Deny),
        (Some(PermissionMode::from("odd")), &[ReadGame], Deny),
        (None, &[ReadGame, DiscardItems], Ask),
        (Some(Allow), &[ReadGame, DiscardItems], Ask),
        (Some(Deny), &[ReadGame, DiscardItems], Deny),
        (None, &[ReadGame, Capability::from("time_travel")], Deny),
    ] {
        assert_eq!(tool_mode(own.as_ref(), capabilities, settings), mode, "{own:?} {capabilities:?}");
    }
    let deny_reading = |id: &Capability| (*id == ReadGame).then_some(Deny);
    assert_eq!(tool_mode(None, &[ReadGame], deny_reading), Deny);
    assert_eq!(tool_mode(None, &[ReadGame, Combat], deny_reading), Ask, "reading counts only where nothing acts");
}

#[test]
fn unless_enabled_every_mode_reads_deny() {
    // R-POL-4
    for state in PluginState::ALL {
        let expected = if *state == PluginState::Enabled { Allow } else { Deny };
        assert_eq!(mode_in_state(Allow, state), expected, "{state}");
    }
}

#[test]
fn a_registration_tells_the_mode_unless_disabled() {
    // R-DEF-6
    assert_eq!(mode_at_registration(Allow, true), Allow);
    assert_eq!(mode_at_registration(Allow, false), Deny);
}
