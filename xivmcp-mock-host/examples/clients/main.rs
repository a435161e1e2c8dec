//! A host for real MCP clients to try: `.ci/clients` lets each list, call, fail, cancel, and see a plugin appear.
//!
//! `cargo run -p xivmcp-mock-host --features server --example clients` prints the address, the token, and the address of
//! another host that wants no token, for the MCP conformance suite; a line each. It serves until its input ends.

mod conformance;

use std::error::Error;
use std::io::Read;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use xivmcp_client::{McpCall, McpToolDefinition, XivMcpClient};
use xivmcp_mock_host::server::{Options, serve};
use xivmcp_mock_host::{MockHost, Plugin};

enum Ask {
    Toggle,
    End,
}

fn reads(name: &str, description: &str) -> McpToolDefinition {
    McpToolDefinition::new(name, description).read_only(true)
}

fn main() -> Result<(), Box<dyn Error>> {
    let host = Arc::new(MockHost::live());
    let (asks, asked) = mpsc::channel();
    let toggle = Mutex::new(asks.clone());
    let toggle = Arc::new(move || {
        // Nobody listens any more only when the program ends.
        let _ = toggle.lock().unwrap_or_else(PoisonError::into_inner).send(Ask::Toggle);
    });
    host.load("Clients", move |client: &XivMcpClient| clients(client, toggle.clone()));
    let server = serve(Arc::clone(&host), &Options::new().port(0).enable_all())?;
    let open = MockHost::live();
    open.load("Conformance", conformance::register);
    let open = serve(open, &Options::new().port(0).enable_all().without_token())?;
    println!("{}\n{}\n{}", server.mcp_url(), server.token().unwrap_or_default(), open.mcp_url());

    // A plugin comes and goes beside the call that asks for it, as a player would do it.
    let guests = Arc::clone(&host);
    let coming_and_going = std::thread::spawn(move || {
        let mut guest: Option<Plugin> = None;
        while matches!(asked.recv(), Ok(Ask::Toggle)) {
            match &guest {
                None => guest = Some(guests.load("Guest", guest_tools)),
                Some(plugin) if plugin.is_loaded() => plugin.unload(),
                Some(plugin) => plugin.reload(),
            }
        }
    });
    std::io::stdin().read_to_end(&mut Vec::new())?;
    let _ = asks.send(Ask::End); // it is gone if it panicked, which has been printed
    let _ = coming_and_going.join();
    drop(host);
    drop(server);
    Ok(())
}

fn clients(client: &XivMcpClient, toggle: Arc<impl Fn() + Send + Sync + 'static>) -> Result<(), Box<dyn Error>> {
    let cancelled = Arc::new(AtomicU32::new(0));
    client.add_tool(reads("clients_ping", "Gives its arguments back."), |call: McpCall| {
        Ok(call.args_text().to_owned())
    })?;
    client.add_tool(reads("clients_fail", "Fails."), || Err::<(), _>("the bags are full".into()))?;
    let hanging = Arc::new(AtomicU32::new(0));
    let (counted, running) = (Arc::clone(&cancelled), Arc::clone(&hanging));
    client.add_long_running_tool(reads("clients_hang", "Goes on until it is cancelled."), move |call: McpCall| {
        let (counted, running) = (Arc::clone(&counted), Arc::clone(&running));
        async move {
            running.fetch_add(1, Ordering::SeqCst);
            let slept = call.sleep(Duration::from_secs(3600)).await;
            running.fetch_sub(1, Ordering::SeqCst);
            counted.fetch_add(u32::from(slept.is_err()), Ordering::SeqCst);
            slept?;
            Ok("slept")
        }
    })?;
    client
        .add_tool(reads("clients_hanging", "How many calls hang now."), move || Ok(hanging.load(Ordering::SeqCst)))?;
    client.add_tool(reads("clients_cancelled", "How many calls were cancelled."), move || {
        Ok(cancelled.load(Ordering::SeqCst))
    })?;
    client.add_tool(reads("clients_toggle", "Loads another plugin, or unloads it."), move || {
        toggle();
        Ok("in a moment")
    })?;
    Ok(())
}

fn guest_tools(client: &XivMcpClient) -> Result<(), Box<dyn Error>> {
    client.add_tool(reads("guest_ping", "Answers."), || Ok("pong"))?;
    Ok(())
}
