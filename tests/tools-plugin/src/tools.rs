//! The tools.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xivmcp_client::ipc::IpcType;
use xivmcp_client::{
    AddToolError, ClientHandle, McpCall, McpCapabilities, McpToolDefinition, McpToolError, PluginContext,
};

/// Two numbers.
#[derive(Deserialize, JsonSchema)]
struct Add {
    /// The first.
    left: i32,
    /// The second.
    right: i32,
}

#[derive(Serialize)]
struct Sum {
    the_sum: i32,
}

/// How long to farm.
#[derive(Deserialize, JsonSchema)]
struct Farm {
    /// How many monsters.
    monsters: u32,
}

#[derive(Serialize)]
struct Report {
    kill_count: u32,
}

/// A text.
#[derive(Deserialize, JsonSchema)]
struct Text {
    /// The text.
    text: String,
}

fn acting(name: &str, description: &str) -> McpToolDefinition {
    McpToolDefinition::new(name, description).capabilities([McpCapabilities::MoveCharacter, McpCapabilities::SpendGil])
}

fn reading(name: &str, description: &str) -> McpToolDefinition {
    McpToolDefinition::new(name, description).read_only(true)
}

/// Adds all tools.
pub(crate) fn add(context: &PluginContext, client: &ClientHandle) -> Result<(), AddToolError> {
    quick(context, client)?;
    long_running(context, client)
}

fn quick(context: &PluginContext, client: &ClientHandle) -> Result<(), AddToolError> {
    client.add_tool(reading("tools_add", "Adds two numbers."), |args: Add| {
        let the_sum = args.left.checked_add(args.right).ok_or("The sum is too large.")?;
        Ok::<_, McpToolError>(Sum { the_sum })
    })?;
    client.add_tool(reading("tools_echo", "Gives back a text."), |args: Text| Ok::<_, McpToolError>(args.text))?;
    client.add_tool(reading("tools_generation", "Tells which build this is."), || {
        Ok::<_, McpToolError>(super::GENERATION)
    })?;
    client.add_tool(reading("tools_panic", "Panics."), || {
        let bags: &[u32] = &[];
        Ok::<_, McpToolError>(bags[std::hint::black_box(7)])
    })?;
    let transport = Arc::clone(&context.transport);
    client.add_tool(reading("tools_ask", "Calls another plugin's gate."), move |args: Text| {
        let answer = transport.call_function(&args.text, &[], IpcType::Text)?;
        Ok::<_, McpToolError>(answer.as_text().unwrap_or_default().to_owned())
    })?;
    for service in ["character_name", "fails", "missing", "unload_me"] {
        let services = Arc::clone(&context.services);
        client.add_tool(reading(&format!("tools_service_{service}"), "Calls a service of the shim."), move || {
            Ok::<_, McpToolError>(services.call_service(service, "null")?)
        })?;
    }
    Ok(())
}

fn long_running(context: &PluginContext, client: &ClientHandle) -> Result<(), AddToolError> {
    let services = Arc::clone(&context.services);
    client.add_long_running_tool(
        acting("tools_farm", "Farms until it is cancelled or has enough."),
        async move |call: McpCall, args: Farm| {
            let (begins, ends) = (Arc::clone(&services), services);
            let farming = call
                .framework_guard(
                    move || {
                        begins.print_chat("farming begins");
                        0_u32
                    },
                    move |kills| ends.print_chat(&format!("farming ends after {kills}")),
                )
                .await?;
            while farming.with(|kills| *kills).await? < args.monsters {
                call.sleep(Duration::from_millis(5)).await?;
                let kills = farming
                    .with(|kills| {
                        *kills += 1;
                        *kills
                    })
                    .await?;
                call.progress(format!("{kills} kills"));
            }
            Ok::<_, McpToolError>(Report { kill_count: args.monsters })
        },
    )?;
    client.add_long_running_tool(acting("tools_repair", "Repairs, if the player agrees."), async |call: McpCall| {
        let agreed = call.request_approval(McpCapabilities::SpendGil, "Repair for 3,200 gil").await?;
        Ok::<_, McpToolError>(if agreed { "repaired" } else { "the player said no" })
    })?;
    client.add_long_running_tool(
        acting("tools_thread", "Reports from a thread of its own."),
        async |call: McpCall| {
            let reporter = call.clone();
            let thread = std::thread::spawn(move || {
                for step in 1..=3 {
                    reporter.progress(format!("step {step}"));
                }
            });
            call.blocking(move || thread.join().is_ok()).await?;
            Ok::<_, McpToolError>("three steps")
        },
    )?;
    let transport = Arc::clone(&context.transport);
    client.add_long_running_tool(acting("tools_frames", "Tells where it runs."), async move |call: McpCall| {
        let mut places = vec![transport.is_framework_thread()];
        call.sleep(Duration::from_millis(1)).await?;
        places.push(transport.is_framework_thread());
        let there = Arc::clone(&transport);
        places.push(call.on_framework_thread(move || there.is_framework_thread()).await?);
        call.next_frame().await?;
        Ok::<_, McpToolError>(places)
    })?;
    client.add_long_running_tool(acting("tools_panic_later", "Panics on another thread."), async |call: McpCall| {
        call.sleep(Duration::from_millis(1)).await?;
        assert!(call.is_cancelled(), "no bags left");
        Ok::<_, McpToolError>(())
    })?;
    let services = Arc::clone(&context.services);
    client.add_long_running_tool(acting("tools_hold", "Ends when the test lets it."), async move |call: McpCall| {
        let held = call.blocking(move || services.call_service("hold", "null")).await?;
        Ok::<_, McpToolError>(held?)
    })?;
    Ok(())
}
