//! The first seam of the client: [`IpcTransport`], one plugin's view of Dalamud's call gates.
//!
//! The client knows Dalamud only through this trait. There are three kinds of implementations: the real one
//! (`xivmcp-dalamud`, over a C ABI), the mock host's (in process), and scripted ones in tests.
//!
//! # Who calls what, where
//!
//! - Any thread may call any method at any time (R-IPC-8), also from inside a provided function, a subscriber or a
//!   framework closure (R-IPC-7). An implementation holds no lock of its own while it runs foreign code.
//! - A call runs on the caller's thread, inside the caller's call (R-IPC-2). No method waits for another thread; only
//!   the provider that is called decides how long a call takes.
//! - Nothing unwinds through a transport: a provider that panics is reported as [`IpcError::Failed`].

mod error;
mod guard;
mod value;

use std::sync::Arc;

pub use error::IpcError;
pub use guard::IpcGuard;
pub use value::{IpcSignature, IpcType, IpcValue};

/// A function that a plugin provides at a gate. It gets as many values as its signature has parameters, each of the
/// parameter's type, and gives a value of the return type.
///
/// ```
/// use std::sync::Arc;
/// use xivmcp_client::ipc::{IpcFunction, IpcValue};
///
/// let double: IpcFunction = Arc::new(|values| match values {
///     [IpcValue::I32(number)] => Ok(IpcValue::I32(number * 2)),
///     _ => Ok(IpcValue::I32(0)), // the transport has checked number and types
/// });
/// assert_eq!(double(&[21.into()]), Ok(42.into()));
/// ```
pub type IpcFunction = Arc<dyn Fn(&[IpcValue]) -> Result<IpcValue, IpcError> + Send + Sync>;

/// An action that a plugin provides, or a subscriber of a message: gets values, gives nothing.
///
/// A subscriber that fails stops the ones after it (R-IPC-5).
///
/// ```
/// use std::sync::Arc;
/// use xivmcp_client::ipc::IpcAction;
///
/// let heard: IpcAction = Arc::new(|values| {
///     println!("{values:?}");
///     Ok(())
/// });
/// assert_eq!(heard(&["ready".into()]), Ok(()));
/// ```
pub type IpcAction = Arc<dyn Fn(&[IpcValue]) -> Result<(), IpcError> + Send + Sync>;

/// Work for the framework thread. Either it is called once, or, where that can never happen (the game or the plugin
/// unloads), it is dropped without being called: what it captured tells its owner.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use xivmcp_client::ipc::{FrameworkClosure, IpcTransport};
///
/// let host = xivmcp_mock_host::MockHost::simulated();
/// # let transport = host.install("MyPlugin").transport();
///
/// let was_there = Arc::new(AtomicBool::new(false));
/// let (told, inside) = (was_there.clone(), transport.clone());
/// let closure: FrameworkClosure = Box::new(move || told.store(inside.is_framework_thread(), Ordering::Relaxed));
/// transport.run_on_next_update(closure);
/// host.settle();
/// assert!(was_there.load(Ordering::Relaxed));
/// ```
pub type FrameworkClosure = Box<dyn FnOnce() + Send>;

/// One plugin's view of Dalamud's call gates and its framework thread.
///
/// See the [module](self) for threads and re-entrance.
///
/// ```
/// use xivmcp_client::ipc::{IpcError, IpcTransport, IpcType, IpcValue};
///
/// /// Asks another plugin something, over a gate of its own.
/// fn path_is_ready(transport: &dyn IpcTransport) -> Result<bool, IpcError> {
///     let answer = transport.call_function("vnavmesh.Nav.IsReady", &[], IpcType::Bool)?;
///     Ok(answer == IpcValue::Bool(true))
/// }
///
/// let transport = xivmcp_client::TestCall::new("example").transport();
/// assert!(matches!(path_is_ready(&*transport), Err(IpcError::NotReady { .. })));
/// ```
pub trait IpcTransport: Send + Sync + 'static {
    /// The internal name of the plugin that this transport belongs to, as Dalamud spells it.
    ///
    /// ```
    /// # use xivmcp_client::ipc::IpcTransport;
    /// let host = xivmcp_mock_host::MockHost::simulated();
    /// let transport = host.install("MyPlugin").transport();
    /// assert_eq!(transport.internal_name(), "MyPlugin");
    /// ```
    fn internal_name(&self) -> &str;

    /// Calls the function at `gate`, on this thread, and gives what it returns as `returns`.
    ///
    /// # Errors
    ///
    /// [`IpcError::NotReady`] if no function is there, [`IpcError::LengthMismatch`] and [`IpcError::TypeMismatch`] if
    /// the arguments or `returns` do not fit what is there, [`IpcError::Failed`] if the function failed, and
    /// [`IpcError::Closed`] after this plugin was unloaded.
    ///
    /// ```
    /// # use xivmcp_client::ipc::{IpcTransport, IpcType};
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let transport = host.install("MyPlugin").transport();
    /// assert_eq!(transport.call_function("XivMcp.ApiVersion", &[], IpcType::I32)?, 2.into());
    /// # Ok::<(), xivmcp_client::ipc::IpcError>(())
    /// ```
    fn call_function(&self, gate: &str, arguments: &[IpcValue], returns: IpcType) -> Result<IpcValue, IpcError>;

    /// Calls the action at `gate`, on this thread.
    ///
    /// # Errors
    ///
    /// As [`call_function`](Self::call_function).
    ///
    /// ```
    /// # use xivmcp_client::ipc::{IpcTransport, IpcType, IpcValue};
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let transport = host.install("MyPlugin").transport();
    /// # let other = host.install("Other").transport();
    /// # let stop = std::sync::Arc::new(|_: &[IpcValue]| Ok(()));
    /// # let kept = other.provide_action("Other.Stop", &[IpcType::Text], stop)?;
    /// transport.call_action("Other.Stop", &["at the bell".into()])?;
    /// assert!(transport.call_action("Other.Stop", &[]).unwrap_err().is_mismatch());
    /// # Ok::<(), xivmcp_client::ipc::IpcError>(())
    /// ```
    fn call_action(&self, gate: &str, arguments: &[IpcValue]) -> Result<(), IpcError>;

    /// Sends a message to all subscribers of `gate`, in the order in which they subscribed, on this thread (R-IPC-5).
    ///
    /// # Errors
    ///
    /// That of the first subscriber that failed; those after it did not get the message.
    ///
    /// ```
    /// # use xivmcp_client::ipc::{IpcTransport, IpcType, IpcValue};
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let transport = host.install("MyPlugin").transport();
    /// # let other = host.install("Other").transport();
    /// use std::sync::{Arc, Mutex};
    ///
    /// let heard = Arc::new(Mutex::new(Vec::new()));
    /// let notes = heard.clone();
    /// let note = Arc::new(move |values: &[IpcValue]| Ok(notes.lock().unwrap().extend_from_slice(values)));
    /// let subscribed = other.subscribe("MyPlugin.Sold", &[IpcType::I32], note)?;
    /// transport.send_message("MyPlugin.Sold", &[3.into()])?;    // it has arrived when this returns
    /// assert_eq!(*heard.lock().unwrap(), [IpcValue::I32(3)]);
    /// # Ok::<(), xivmcp_client::ipc::IpcError>(())
    /// ```
    fn send_message(&self, gate: &str, arguments: &[IpcValue]) -> Result<(), IpcError>;

    /// Provides the function of `gate`, replacing the one that is there (R-IPC-4), until the guard is dropped.
    ///
    /// Dropping the guard takes the function away and does not wait: calls that are inside it already go on.
    ///
    /// # Errors
    ///
    /// [`IpcError::Closed`] after this plugin was unloaded, and [`IpcError::Unsupported`] if the signature has more
    /// than [`IpcSignature::MAX_PARAMETERS`] parameters or one of type [`IpcType::Unit`].
    ///
    /// ```
    /// # use xivmcp_client::ipc::{IpcSignature, IpcTransport, IpcType, IpcValue};
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let transport = host.install("MyPlugin").transport();
    /// # let other = host.install("Other").transport();
    /// use std::sync::Arc;
    ///
    /// let double = |values: &[IpcValue]| match values {
    ///     [IpcValue::I32(number)] => Ok((number * 2).into()),
    ///     _ => Ok(0.into()), // what the signature does not allow does not come
    /// };
    /// let signature = IpcSignature::new([IpcType::I32], IpcType::I32);
    /// let guard = transport.provide_function("MyPlugin.Double", &signature, Arc::new(double))?;
    /// assert_eq!(other.call_function("MyPlugin.Double", &[21.into()], IpcType::I32)?, 42.into());
    /// # Ok::<(), xivmcp_client::ipc::IpcError>(())
    /// ```
    fn provide_function(
        &self,
        gate: &str,
        signature: &IpcSignature,
        function: IpcFunction,
    ) -> Result<IpcGuard, IpcError>;

    /// Provides the action of `gate`, as [`provide_function`](Self::provide_function) does with a function.
    ///
    /// # Errors
    ///
    /// As there.
    ///
    /// ```
    /// # use xivmcp_client::ipc::{IpcError, IpcTransport, IpcType, IpcValue};
    /// # let host = xivmcp_mock_host::MockHost::simulated();
    /// # let transport = host.install("MyPlugin").transport();
    /// # let other = host.install("Other").transport();
    /// use std::sync::Arc;
    ///
    /// let guard = transport.provide_action("MyPlugin.Stop", &[], Arc::new(|_| Ok(())))?;
    /// assert_eq!(other.call_action("MyPlugin.Stop", &[]), Ok(()));
    /// drop(guard);
    /// assert!(matches!(other.call_action("MyPlugin.Stop", &[]), Err(IpcError::NotReady { .. })));
    /// # Ok::<(), IpcError>(())
    /// ```
    fn provide_action(&self, gate: &str, parameters: &[IpcType], action: IpcAction) -> Result<IpcGuard, IpcError>;

    /// Subscribes to the messages of `gate` until the guard is dropped.
    ///
    /// Dropping the guard inside the subscriber, or while a message is being sent, is allowed; a message that is
    /// already on its way may still arrive.
    ///
    /// # Errors
    ///
    /// As [`provide_function`](Self::provide_function).
    ///
    /// ```
    /// # use xivmcp_client::ipc::{IpcTransport, IpcType, IpcValue};
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicBool, Ordering};
    ///
    /// let host = xivmcp_mock_host::MockHost::simulated();
    /// # let transport = host.install("MyPlugin").transport();
    ///
    /// let loaded = Arc::new(AtomicBool::new(true));
    /// let flag = loaded.clone();
    /// let goes = Arc::new(move |_: &[IpcValue]| Ok(flag.store(false, Ordering::Relaxed)));
    /// let guard = transport.subscribe("XivMcp.Disposing", &[], goes)?;
    /// host.dalamud().unload_host();
    /// assert!(!loaded.load(Ordering::Relaxed));
    /// # Ok::<(), xivmcp_client::ipc::IpcError>(())
    /// ```
    fn subscribe(&self, gate: &str, parameters: &[IpcType], subscriber: IpcAction) -> Result<IpcGuard, IpcError>;

    /// Queues `closure` for the framework thread's next update. It never runs inside this call: on the framework
    /// thread too it waits for the next update, 16 ms later at 60 frames a second. Closures run in the order in which
    /// they were queued.
    ///
    /// Where the closure can never run, because the game or the plugin is unloading, it is dropped, here or later.
    ///
    /// ```
    /// # use xivmcp_client::ipc::IpcTransport;
    /// use xivmcp_mock_host::{GameChange, MockHost};
    ///
    /// let host = MockHost::simulated();
    /// let transport = host.install("MyPlugin").transport();
    /// let game = host.game().handle();                          // the game is touched on that thread only
    /// transport.run_on_next_update(Box::new(move || game.change(GameChange::new().gil(-50))));
    /// assert_eq!(host.game().state().gil, 999_950);
    /// ```
    fn run_on_next_update(&self, closure: FrameworkClosure);

    /// Whether the calling thread is the framework thread.
    ///
    /// ```
    /// # use xivmcp_client::ipc::IpcTransport;
    /// let host = xivmcp_mock_host::MockHost::simulated();
    /// # let transport = host.install("MyPlugin").transport();
    /// assert!(!transport.is_framework_thread());
    /// assert!(host.on_framework(move || transport.is_framework_thread()));
    /// ```
    fn is_framework_thread(&self) -> bool;
}
