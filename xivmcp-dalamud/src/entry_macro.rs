//! [`plugin!`](crate::plugin), which names a plugin's entry function.

/// Names the entry function of a plugin: once, in the root of a crate whose `crate-type` has `cdylib`.
///
/// The function takes a [`PluginContext`](xivmcp_client::PluginContext), and gives what lives until the plugin is
/// unloaded (`Send + 'static`), or an error (`Display`), whose text reaches Dalamud's log. It runs once, when Dalamud
/// loads the plugin, on whatever thread that happens. It is an ordinary function: a test calls it with the mock host's
/// context. A crate with `#![forbid(unsafe_code)]` may use the macro.
///
/// If the function fails or panics, what it provided, added and subscribed to is taken back, and the plugin does not
/// load. See the [crate](crate) for unloading.
///
/// ```standalone_crate
/// use xivmcp_client::{AddToolError, McpToolDefinition, McpToolError, PluginContext, XivMcpClient};
///
/// xivmcp_dalamud::plugin!(start);
///
/// fn start(context: PluginContext) -> Result<XivMcpClient, Box<dyn std::error::Error>> {
///     let client = XivMcpClient::connect(&context)?;
///     client.add_tool(McpToolDefinition::new("myplugin_ping", "Says whether it is there.").read_only(true), || {
///         Ok::<_, McpToolError>("pong")
///     })?;
///     Ok(client)
/// }
/// # fn main() {}
/// ```
///
/// # Two plugins in one program
///
/// The macro exports a symbol of a fixed name, so a program, such as a test, can be linked with only one of them. With
/// the dev profile's incremental builds two plugins' `rlib`s go together all the same: the linker takes one of the
/// symbols and leaves the other. Where builds are not incremental (`CARGO_INCREMENTAL=0`, release) set
/// `codegen-units` in the profile, which keeps the symbol in an object of its own; or load one of them as a library
/// (`host`, feature `loader`).
#[macro_export]
macro_rules! plugin {
    ($start:path $(,)?) => {
        /// Called by the exported entry, which stands alone in a module.
        ///
        /// # Safety
        ///
        /// The arguments are those of the host.
        #[doc(hidden)]
        unsafe fn __xivmcp_plugin_enter(
            host: *const $crate::abi::HostTable,
            plugin: *mut *const $crate::abi::PluginTable,
            message: *mut $crate::abi::Owned,
        ) -> i32 {
            // SAFETY: the host's own arguments are passed on.
            unsafe { $crate::ffi::enter(host, plugin, message, $start) }
        }

        // A module is compiled to an object of its own, if the build has enough codegen units. So a test that links two
        // plugins takes the entry of one, and leaves the other's in its archive.
        #[doc(hidden)]
        mod __xivmcp_plugin_entry {
            /// What the host calls: see `xivmcp.h`.
            ///
            /// # Safety
            ///
            /// The host passes what the header says.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn xivmcp_plugin_entry_v1(
                host: *const $crate::abi::HostTable,
                plugin: *mut *const $crate::abi::PluginTable,
                message: *mut $crate::abi::Owned,
            ) -> i32 {
                // SAFETY: the host's own arguments are passed on.
                unsafe { super::__xivmcp_plugin_enter(host, plugin, message) }
            }
        }
    };
}
