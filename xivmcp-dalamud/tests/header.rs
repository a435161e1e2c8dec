//! `include/xivmcp.h` is what the `abi` module says. `XIVMCP_BLESS=1 cargo test -p xivmcp-dalamud --test header`
//! writes it anew after a change.

use std::path::Path;

/// How the header begins; the contract follows.
const TOP: &str = "/* xivmcp.h: the C ABI between a Dalamud plugin's native library and the host that loads it.\n \
                   * Generated from the `abi` module of the crate xivmcp-dalamud; do not edit.\n *\n";

/// What cbindgen does not write by itself.
const DEFINES: &str = "
/* The version of this ABI. */
#define XIV_MCP_VERSION 1

/* The symbol that a plugin's library exports; it has the type XivMcpPluginEntry. */
#define XIV_MCP_ENTRY_SYMBOL \"xivmcp_plugin_entry_v1\"

/* How many arguments a gate takes at most. */
#define XIV_MCP_MAX_ARGUMENTS 8";

fn generated() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/abi");
    let contract = std::fs::read_to_string(folder.join("contract.md")).expect("the contract is there");
    let mut top = String::from(TOP);
    for line in contract.lines() {
        top.push_str(format!(" * {line}").trim_end());
        top.push('\n');
    }
    top.push_str(" */");

    let mut config = cbindgen::Config {
        language: cbindgen::Language::C,
        header: Some(top),
        after_includes: Some(DEFINES.to_owned()),
        include_guard: Some("XIVMCP_H".to_owned()),
        cpp_compat: true,
        no_includes: true,
        sys_includes: vec!["stddef.h".to_owned(), "stdint.h".to_owned()],
        usize_is_size_t: true,
        line_length: 120,
        documentation_style: cbindgen::DocumentationStyle::C,
        ..cbindgen::Config::default()
    };
    config.style = cbindgen::Style::Both;
    config.enumeration.prefix_with_name = true;
    config.enumeration.rename_variants = cbindgen::RenameRule::ScreamingSnakeCase;
    config.export.include =
        ["Status", "ValueType", "SessionChange", "LogSeverity", "HostTable", "PluginTable", "PluginEntry"]
            .map(str::to_owned)
            .to_vec();
    for (rust, c) in [
        ("HostTable", "XivMcpHost"),
        ("PluginTable", "XivMcpPlugin"),
        ("Slice", "XivMcpSlice"),
        ("Owned", "XivMcpOwned"),
        ("Status", "XivMcpStatus"),
        ("Value", "XivMcpValue"),
        ("ValueType", "XivMcpValueType"),
        ("Reply", "XivMcpReply"),
        ("SessionState", "XivMcpSession"),
        ("SessionChange", "XivMcpSessionChange"),
        ("LogSeverity", "XivMcpLogSeverity"),
        ("PluginEntry", "XivMcpPluginEntry"),
    ] {
        config.export.rename.insert(rust.to_owned(), c.to_owned());
    }

    let mut builder = cbindgen::Builder::new().with_config(config);
    for file in ["buffer.rs", "status.rs", "value.rs", "host.rs", "plugin.rs"] {
        builder = builder.with_src(folder.join(file));
    }
    let mut header = Vec::new();
    builder.generate().expect("the ABI can be said in C").write(&mut header);
    String::from_utf8(header).expect("a header is text")
}

#[test]
fn the_committed_header_is_what_the_abi_module_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/xivmcp.h");
    let generated = generated();
    if std::env::var_os("XIVMCP_BLESS").is_some() {
        std::fs::write(&path, &generated).expect("the header can be written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        committed == generated,
        "include/xivmcp.h is not what src/abi says; write it anew with \
         `XIVMCP_BLESS=1 cargo test -p xivmcp-dalamud --test header` and look at the difference"
    );
}
