//! What counts as a handler: closures (and functions) that take what they name, in this order: the call, the
//! arguments. Authors meet the two traits as bounds of the methods that add tools; the client uses their erased form.
//!
//! A quick handler is a `Fn`. A long-running one is a `FnOnce + Clone` that gives a future: an `async move` closure
//! that captures something lends it to its future, and is therefore no `Fn`. It is cloned for each call.
//!
//! The parameter `Takes` only tells the compiler which of the four forms a closure has. It is always inferred.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;

use futures::FutureExt;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::McpCall;
use crate::tool_error::McpToolError;
use crate::typed::arguments::Arguments;
use crate::typed::schema::SchemaError;
use crate::typed::{result, schema};

/// Marks a handler that takes arguments of type `T`. Only ever a part of an inferred type.
#[derive(Debug)]
#[non_exhaustive]
pub struct Args<T>(PhantomData<fn(T)>);

/// A handler of a quick tool: it runs on the framework thread, within one frame, and gives its result at once.
///
/// Implemented by `Fn() -> O`, `Fn(McpCall) -> O`, `Fn(T) -> O` and `Fn(McpCall, T) -> O`, where `T` is
/// `DeserializeOwned + JsonSchema` and `O` is `Result<impl Serialize, McpToolError>`. What follows counts for
/// [long-running tools](LongRunningHandler) too.
///
/// # Arguments
///
/// The tool's input schema is derived from `T`, unless its definition has one. It stands for itself: nested types are
/// written where they are used, so a type that contains itself is an error, and so is a `T` that is no JSON object (an
/// enum, a text): make it a field of a struct. Doc comments become descriptions; an `Option`, or a field with
/// `#[serde(default)]`, may be left out.
///
/// Arguments that do not fit are told to the assistant, with the path, what came and what was expected, and the handler
/// does not run. An argument that `T` does not have is an error too. Beyond what serde takes, the rule is:
///
/// - an integral float counts as an integer (`30.0`);
/// - where the schema allows no text, a text counts as the number, boolean, array or object that it says (`"30"`,
///   `"true"`, `"[1, 2]"`); nothing else ever becomes a text;
/// - null counts as absent for what may be absent, and blank text as no arguments at all.
///
/// What only the schema says (`#[schemars(range(min = 1, max = 600))]`, `length`, `regex`) is a hint for the assistant:
/// serde takes what fits the type, so the handler still looks at the value itself.
///
/// # Results
///
/// The fields of structs arrive in camelCase; keys of maps and of JSON values stay (R-CLI-10, [`AsIs`](crate::AsIs)).
/// What JSON cannot say (NaN, a map's key that is no text, two fields of one name) is an error that names the field.
///
/// ```
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
/// use serde_json::json;
/// use xivmcp_client::{McpToolDefinition, XivMcpClient};
///
/// let host = xivmcp_mock_host::MockHost::simulated();
/// /// Which item to look for.
/// #[derive(Deserialize, JsonSchema)]
/// struct Find {
///     /// The item's name, or a part of it.
///     name: String,
///     /// How many there must be; 1 if absent.
///     at_least: Option<u32>,
/// }
///
/// #[derive(Serialize)]
/// struct Found {
///     bag_slots: Vec<u32>, // arrives as "bagSlots"
/// }
///
/// let plugin = host.load("MyPlugin", |client: &XivMcpClient| {
///     let find = McpToolDefinition::new("myplugin_find", "Finds an item in the bags.").read_only(true);
///     client.add_tool(find, |args: Find| {
///         if args.name.is_empty() {
///             return Err("'name' is empty: give a part of the item's name.".into());
///         }
///         Ok(Found { bag_slots: vec![args.at_least.unwrap_or(1)] })
///     })
/// });
/// host.player().enable(&plugin);
/// let find = |args| host.assistant().call("myplugin_find", args);
/// assert_eq!(find(json!({"name": "Potion", "at_least": 3})).expect_result(), json!({"bagSlots": [3]}));
/// assert!(find(json!({"name": ""})).expect_error().starts_with("'name' is empty"));
/// ```
#[diagnostic::on_unimplemented(
    message = "this is no handler of a quick tool",
    label = "expected `|call: McpCall, args: T| -> Result<R, McpToolError>`, with or without `call` and `args`",
    note = "the closure's parameters need their types: `|call: McpCall, args: Farm| ...`",
    note = "`T` needs `Deserialize + JsonSchema` (of schemars 1), `R` needs `Serialize`, the closure needs `Send + Sync + 'static`",
    note = "the call comes first and by value; the error is `McpToolError`, and `?` makes one of any other",
    note = "an `async` closure belongs to `add_long_running_tool`"
)]
pub trait QuickHandler<Takes>: Send + Sync + 'static {
    /// The form that the client keeps.
    #[doc(hidden)]
    fn erase(self) -> QuickTool;
}

/// A handler of a long-running tool: its future starts on the framework thread and goes on elsewhere.
///
/// Implemented by `FnOnce() -> F`, `FnOnce(McpCall) -> F`, `FnOnce(T) -> F` and `FnOnce(McpCall, T) -> F` that are
/// `Clone`, where `T` is `DeserializeOwned + JsonSchema` and `F` is a `Send` future of
/// `Result<impl Serialize, McpToolError>`. Async closures are that, with and without `move`. It is cloned for each
/// call, so that what it captures is there for the next one: share it in an `Arc`.
///
/// Arguments and results are as for [quick tools](QuickHandler#arguments).
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use std::time::Duration;
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// use serde_json::json;
/// use xivmcp_client::{McpCall, McpToolDefinition, XivMcpClient};
///
/// let host = xivmcp_mock_host::MockHost::simulated();
/// #[derive(Deserialize, JsonSchema)]
/// struct Wait {
///     /// How long, in seconds.
///     seconds: u32,
/// }
///
/// let plugin = host.load("MyPlugin", |client: &XivMcpClient| {
///     let runs = Arc::new(AtomicU32::new(0));
///     client.add_long_running_tool(
///         McpToolDefinition::new("myplugin_wait", "Waits.").read_only(true),
///         async move |call: McpCall, args: Wait| {
///             call.sleep(Duration::from_secs(args.seconds.into())).await?;
///             Ok(runs.fetch_add(1, Ordering::Relaxed) + 1)
///         },
///     )
/// });
/// host.player().enable(&plugin);
/// let wait = || host.assistant().call("myplugin_wait", json!({"seconds": 30})).expect_result();
/// assert_eq!((wait(), wait()), (json!(1), json!(2)));
/// assert_eq!(host.elapsed(), Duration::from_secs(60));
/// ```
#[diagnostic::on_unimplemented(
    message = "this is no handler of a long-running tool",
    label = "expected `async |call: McpCall, args: T| -> Result<R, McpToolError>`, with or without `call` and `args`",
    note = "the closure's parameters need their types: `async |call: McpCall, args: Farm| ...`",
    note = "`T` needs `Deserialize + JsonSchema` (of schemars 1), `R` needs `Serialize`",
    note = "the closure needs `Clone + Send + Sync + 'static`, so what it captures does (an `Arc` is); its future needs `Send`",
    note = "the call comes first and by value; the error is `McpToolError`, and `?` makes one of any other",
    note = "a closure that is not `async` belongs to `add_tool`"
)]
pub trait LongRunningHandler<Takes>: Send + Sync + 'static {
    /// The form that the client keeps.
    #[doc(hidden)]
    fn erase(self) -> LongRunningTool;
}

/// Derives the input schema, as JSON text. Called only if the tool's definition has none of its own.
pub(crate) type DeriveSchema = fn() -> Result<String, SchemaError>;

/// A quick handler without its types.
#[doc(hidden)]
#[non_exhaustive]
pub struct QuickTool {
    /// Runs it: the call and the arguments' JSON in, Invoke's reply (`{"result":…}`) out.
    pub run: Box<RunQuick>,
    /// Nothing if the handler takes no arguments.
    pub schema: Option<DeriveSchema>,
}

/// What a long-running handler has become once it was started.
pub(crate) type Running = BoxFuture<'static, Result<String, McpToolError>>;

/// Runs a quick handler: the call and the arguments' JSON in, Invoke's reply out.
pub(crate) type RunQuick = dyn Fn(&McpCall, &str) -> Result<String, McpToolError> + Send + Sync;

/// Starts a long-running handler: parses the arguments' JSON and gives the future of the result's JSON.
pub(crate) type StartLongRunning = dyn Fn(McpCall, &str) -> Result<Running, McpToolError> + Send + Sync;

/// A long-running handler without its types.
#[doc(hidden)]
#[non_exhaustive]
pub struct LongRunningTool {
    /// Starts it: parses the arguments' JSON and gives the future of the result's JSON.
    pub start: Box<StartLongRunning>,
    /// Nothing if the handler takes no arguments.
    pub schema: Option<DeriveSchema>,
}

impl fmt::Debug for QuickTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QuickTool").finish_non_exhaustive()
    }
}

impl fmt::Debug for LongRunningTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LongRunningTool").finish_non_exhaustive()
    }
}

fn finish<R: Serialize>(outcome: Result<R, McpToolError>) -> Result<String, McpToolError> {
    result::to_json(&outcome?)
}

fn reply<R: Serialize>(outcome: Result<R, McpToolError>) -> Result<String, McpToolError> {
    result::to_reply(&outcome?)
}

fn running<R: Serialize + 'static>(
    future: impl Future<Output = Result<R, McpToolError>> + Send + 'static,
) -> Result<Running, McpToolError> {
    // The result is written where the handler ends, so it need not be `Send`.
    Ok(future.map(finish).boxed())
}

impl<F, R> QuickHandler<()> for F
where
    F: Fn() -> Result<R, McpToolError> + Send + Sync + 'static,
    R: Serialize,
{
    fn erase(self) -> QuickTool {
        QuickTool { run: Box::new(move |_, _| reply(self())), schema: None }
    }
}

impl<F, R> QuickHandler<(McpCall,)> for F
where
    F: Fn(McpCall) -> Result<R, McpToolError> + Send + Sync + 'static,
    R: Serialize,
{
    fn erase(self) -> QuickTool {
        QuickTool { run: Box::new(move |call, _| reply(self(call.clone()))), schema: None }
    }
}

impl<F, T, R> QuickHandler<(Args<T>,)> for F
where
    F: Fn(T) -> Result<R, McpToolError> + Send + Sync + 'static,
    T: DeserializeOwned + JsonSchema,
    R: Serialize,
{
    fn erase(self) -> QuickTool {
        let arguments = Arguments::of::<T>();
        QuickTool {
            run: Box::new(move |_, args| reply(self(arguments.parse(args)?))),
            schema: Some(schema::derive::<T>),
        }
    }
}

impl<F, T, R> QuickHandler<(McpCall, Args<T>)> for F
where
    F: Fn(McpCall, T) -> Result<R, McpToolError> + Send + Sync + 'static,
    T: DeserializeOwned + JsonSchema,
    R: Serialize,
{
    fn erase(self) -> QuickTool {
        let arguments = Arguments::of::<T>();
        QuickTool {
            run: Box::new(move |call, args| reply(self(call.clone(), arguments.parse(args)?))),
            schema: Some(schema::derive::<T>),
        }
    }
}

impl<F, Fut, R> LongRunningHandler<()> for F
where
    F: FnOnce() -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<R, McpToolError>> + Send + 'static,
    R: Serialize + 'static,
{
    fn erase(self) -> LongRunningTool {
        LongRunningTool { start: Box::new(move |_, _| running(self.clone()())), schema: None }
    }
}

impl<F, Fut, R> LongRunningHandler<(McpCall,)> for F
where
    F: FnOnce(McpCall) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<R, McpToolError>> + Send + 'static,
    R: Serialize + 'static,
{
    fn erase(self) -> LongRunningTool {
        LongRunningTool { start: Box::new(move |call, _| running(self.clone()(call))), schema: None }
    }
}

impl<F, Fut, T, R> LongRunningHandler<(Args<T>,)> for F
where
    F: FnOnce(T) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<R, McpToolError>> + Send + 'static,
    T: DeserializeOwned + JsonSchema,
    R: Serialize + 'static,
{
    fn erase(self) -> LongRunningTool {
        let arguments = Arguments::of::<T>();
        LongRunningTool {
            start: Box::new(move |_, args| running(self.clone()(arguments.parse(args)?))),
            schema: Some(schema::derive::<T>),
        }
    }
}

impl<F, Fut, T, R> LongRunningHandler<(McpCall, Args<T>)> for F
where
    F: FnOnce(McpCall, T) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future<Output = Result<R, McpToolError>> + Send + 'static,
    T: DeserializeOwned + JsonSchema,
    R: Serialize + 'static,
{
    fn erase(self) -> LongRunningTool {
        let arguments = Arguments::of::<T>();
        LongRunningTool {
            start: Box::new(move |call, args| running(self.clone()(call, arguments.parse(args)?))),
            schema: Some(schema::derive::<T>),
        }
    }
}

#[cfg(test)]
#[path = "handler_tests.rs"]
mod tests;
