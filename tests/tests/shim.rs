//! The C# shim stays one thing: the template's copy is the glue of `xivmcp-dalamud/shim`, and its `Abi.cs` is the header.
//! `XIVMCP_BLESS=1 cargo test -p xivmcp-tests --test shim` renews the copy.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace's folder").to_path_buf()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of a folder, by name.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    entries
        .map(|entry| entry.expect("an entry").path())
        .map(|path| (path.file_name().expect("a name").to_string_lossy().into_owned(), read(&path)))
        .collect()
}

#[test]
fn the_glue_of_the_template_is_that_of_the_crate() {
    let original = files(&root().join("xivmcp-dalamud/shim"));
    assert!(original.contains_key("Bridge.cs") && original.contains_key("Shim.targets"), "the glue is there");
    let folder = root().join("examples/template/shim/glue");
    if std::env::var_os("XIVMCP_BLESS").is_some() {
        for name in files(&folder).keys() {
            fs::remove_file(folder.join(name)).expect("the old copy goes");
        }
        for (name, text) in &original {
            fs::write(folder.join(name), text).expect("the copy is written");
        }
    }
    let copy = files(&folder);
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&copy), names(&original), "the files of the template's glue; XIVMCP_BLESS=1 renews them");
    for (name, text) in &original {
        assert!(copy[name] == *text, "the template's {name} is not the crate's; XIVMCP_BLESS=1 renews it");
    }
}

#[test]
fn each_example_names_its_plugin_in_one_place() {
    for (example, name, library, glue) in [
        ("template", "MyPlugin", "my_plugin", "glue"),
        ("hello-mcp", "HelloMcp", "hello_mcp", "../../../xivmcp-dalamud/shim"),
    ] {
        let folder = root().join("examples").join(example).join("shim");
        let mut places = Vec::new();
        for (file, text) in files_at_any_depth(&folder) {
            places.extend(text.matches(name).map(|_| file.clone()));
        }
        assert_eq!(places, ["Plugin.csproj"], "where {name} stands in {}", folder.display());
        let project = read(&folder.join("Plugin.csproj"));
        assert!(project.contains(&format!("<AssemblyName>{name}</AssemblyName>")), "{project}");
        assert!(project.contains(&format!("<RustLibrary>{library}</RustLibrary>")), "{project}");
        assert!(project.contains(&format!("<Import Project=\"{glue}/Shim.targets\" />")), "{project}");
        assert!(folder.join(glue).join("Shim.targets").is_file(), "the glue of {example}");
        let manifest: serde_json::Value = serde_json::from_str(&read(&folder.join("manifest.json"))).expect("JSON");
        for key in ["Author", "Name", "Punchline", "Description", "ApplicableVersion"] {
            assert!(manifest[key].as_str().is_some_and(|text| !text.is_empty()), "{key} in {}", folder.display());
        }
        assert!(manifest["Tags"].is_array(), "Tags in {}", folder.display());
    }
}

fn files_at_any_depth(folder: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            all.extend(files_at_any_depth(&entry));
        } else {
            all.push((entry.file_name().expect("a name").to_string_lossy().into_owned(), read(&entry)));
        }
    }
    all
}

#[test]
fn the_shim_knows_the_tables_and_numbers_of_the_header() {
    let header = read(&root().join("xivmcp-dalamud/include/xivmcp.h"));
    let shim = read(&root().join("xivmcp-dalamud/shim/Abi.cs"));
    for (c, csharp) in [
        ("XivMcpSlice", "Slice"),
        ("XivMcpValue", "Value"),
        ("XivMcpOwned", "Owned"),
        ("XivMcpReply", "Reply"),
        ("XivMcpSession", "SessionState"),
        ("XivMcpHost", "HostTable"),
        ("XivMcpPlugin", "PluginTable"),
    ] {
        let expected = c_fields(block(&header, &format!("typedef struct {c} {{"), "} Xiv"));
        let came = csharp_fields(block(&shim, &format!("struct {csharp}\n"), "\n    }"));
        assert!(!expected.is_empty(), "fields of {c}");
        assert_eq!(came, expected, "{csharp} in Abi.cs, {c} in the header");
    }
    for (c, csharp) in [
        ("STATUS", "Status"),
        ("VALUE_TYPE", "GateType"),
        ("SESSION_CHANGE", "SessionChange"),
        ("LOG_SEVERITY", "LogSeverity"),
    ] {
        let prefix = format!("XIV_MCP_{c}_");
        let expected: Vec<String> = header
            .lines()
            .filter_map(|line| line.trim().strip_prefix(&prefix)?.strip_suffix(','))
            .filter_map(|line| line.split_once(" = "))
            .map(|(name, number)| format!("{} = {number}", pascal(name)))
            .collect();
        let body = block(&shim, &format!("enum {csharp}"), "\n    }");
        let came: Vec<String> =
            body.lines().filter_map(|line| line.trim().strip_suffix(',')).map(str::to_owned).collect();
        assert!(!expected.is_empty(), "numbers of {prefix}");
        assert_eq!(came, expected, "{csharp} in Abi.cs, {prefix} in the header");
    }
    let version = block(&header, "#define XIV_MCP_VERSION ", "\n");
    assert!(shim.contains(&format!("const uint Version = {version};")), "the ABI's version, {version}");
    let symbol = block(&header, "#define XIV_MCP_ENTRY_SYMBOL ", "\n");
    assert!(shim.contains(&format!("EntrySymbol = {symbol};")), "the entry, {symbol}");
    let own = env!("CARGO_PKG_VERSION");
    assert!(shim.contains(&format!("ShimVersion = \"{own}\";")), "the version of the crates, {own}");
}

/// What stands between `start` and the next `end`.
fn block<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let from = text.find(start).unwrap_or_else(|| panic!("`{start}` is not there")) + start.len();
    let to = text[from..].find(end).unwrap_or_else(|| panic!("`{end}` does not follow `{start}`"));
    &text[from..from + to]
}

/// The names of a C struct's fields, as C# spells them.
fn c_fields(body: &str) -> Vec<String> {
    let mut code = String::new();
    let mut rest = body;
    while let Some((before, after)) = rest.split_once("/*") {
        code.push_str(before);
        rest = after.split_once("*/").expect("comments end").1;
    }
    code.push_str(rest);
    code.split(';')
        .map(str::trim)
        .filter(|field| !field.is_empty())
        .map(|field| match field.split_once("(*") {
            Some((_, function)) => function.split_once(')').expect("a function pointer").0,
            None => field.rsplit([' ', '*']).next().expect("a name"),
        })
        .map(pascal)
        .collect()
}

fn csharp_fields(body: &str) -> Vec<String> {
    body.lines()
        .filter_map(|line| line.trim().strip_suffix(';'))
        .map(|field| field.rsplit(' ').next().expect("a name").to_owned())
        .collect()
}

/// `call_function` or `NOT_READY` as C# spells it.
fn pascal(name: &str) -> String {
    name.split('_').map(|word| word[..1].to_uppercase() + &word[1..].to_lowercase()).collect()
}
