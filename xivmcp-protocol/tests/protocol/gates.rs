//! The gates, as the table of SPEC §2 has them.

use xivmcp_protocol::{
    HostGate, PluginGate,
    gate::{GateDirection, GateKind, GateReturn},
};

#[test]
fn the_gates_of_the_host_are_those_of_the_table() {
    let takes =
        |gate: HostGate| gate.parameters().iter().map(|parameter| parameter.name()).collect::<Vec<_>>().join(" ");
    let table: Vec<_> = HostGate::ALL.iter().map(|gate| (gate.name(), takes(*gate), gate.returns())).collect();
    let expected = [
        ("ApiVersion", "", GateReturn::Int),
        ("IsReady", "", GateReturn::Bool),
        ("ListCapabilities", "", GateReturn::Envelope),
        ("RegisterTool", "owner definitionJson", GateReturn::Envelope),
        ("UnregisterTool", "owner name", GateReturn::Envelope),
        ("UnregisterAll", "owner", GateReturn::Envelope),
        ("GetStatus", "owner", GateReturn::Envelope),
        ("DeclareDependencies", "owner json", GateReturn::Envelope),
        ("CheckPermission", "owner capability", GateReturn::Envelope),
        ("RequestApproval", "callId requestJson", GateReturn::Envelope),
        ("GetApproval", "approvalId", GateReturn::Envelope),
        ("CompleteCall", "callId resultJson", GateReturn::Envelope),
        ("FailCall", "callId message", GateReturn::Envelope),
        ("ReportProgress", "callId text", GateReturn::Envelope),
        ("StartJob", "owner jobJson", GateReturn::Envelope),
        ("GetJob", "id", GateReturn::Envelope),
        ("ListJobs", "owner", GateReturn::Envelope),
        ("PauseJob", "id", GateReturn::Envelope),
        ("ResumeJob", "id", GateReturn::Envelope),
        ("CancelJob", "id", GateReturn::Envelope),
        ("Ready", "", GateReturn::Nothing),
        ("Disposing", "", GateReturn::Nothing),
    ];
    assert_eq!(table.len(), expected.len());
    for ((name, parameters, returns), (short, takes, gives)) in table.iter().zip(expected) {
        assert_eq!((*name, parameters.as_str(), *returns), (format!("XivMcp.{short}").as_str(), takes, gives));
    }
}

#[test]
fn a_gate_is_found_by_its_exact_name() {
    // R-IPC-1
    for gate in HostGate::ALL {
        assert_eq!(HostGate::from_name(gate.name()), Some(*gate));
        assert_eq!(HostGate::from_name(&gate.name().to_lowercase()), None);
        let message = matches!(gate, HostGate::Ready | HostGate::Disposing);
        assert_eq!(gate.kind() == GateKind::Message, message);
        assert_eq!(gate.direction() == GateDirection::HostTellsPlugins, message);
    }
    assert_eq!(HostGate::from_name("XivMcp."), None);
    assert_eq!(HostGate::from_name("ApiVersion"), None);
}

#[test]
fn a_plugins_gates_carry_its_internal_name() {
    assert_eq!(PluginGate::Invoke.name("My.Plugin"), "My.Plugin.XivMcp.Invoke");
    assert_eq!(PluginGate::Cancel.name("My.Plugin"), "My.Plugin.XivMcp.Cancel");
    assert_eq!(PluginGate::Cancel.returns(), GateReturn::Nothing);
}
