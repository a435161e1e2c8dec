//! [`plugin!`](crate::plugin), which names a plugin's entry function.

/// Names the entry function of a plugin, once in a `cdylib` crate.
#[macro_export]
macro_rules! plugin {
    ($start:path $(,)?) => {
        #[doc(hidden)]
        const _: () = {
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
                unsafe { $crate::ffi::enter(host, plugin, message, $start) }
            }
        };
    };
}
