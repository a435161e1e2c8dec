//! Writes the schemas of all payloads into `schemas/`, and takes away files that no payload has any more.
//!
//! Run it after a change of a type: `cargo run -p xivmcp-protocol --example write_schemas`.

use std::{fs, io, path::Path};

use xivmcp_protocol::schemas;

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    fs::create_dir_all(&folder)?;
    let payloads = schemas::all();
    for entry in fs::read_dir(&folder)? {
        let entry = entry?;
        if !payloads.iter().any(|payload| entry.file_name() == payload.file) {
            fs::remove_file(entry.path())?;
        }
    }
    for payload in &payloads {
        fs::write(folder.join(payload.file), payload.to_text())?;
    }
    println!("{} schemas in {}", payloads.len(), folder.display());
    Ok(())
}
