//! Typed tools: a handler is a closure over Rust types, and this module makes of it what the client keeps and calls.
//!
//! - [`handler`]: the traits that closures implement, and the erased form;
//! - [`arguments`]: JSON text into the handler's argument type, or an error that an assistant can correct itself by;
//! - [`result`]: the handler's result into JSON text (R-CLI-10);
//! - [`schema`]: the input schema, derived from the argument type.
//!
//! For the client itself, three things count: [`QuickHandler`](handler::QuickHandler) and
//! [`LongRunningHandler`](handler::LongRunningHandler) as bounds of the methods that add tools, and their `erase()`,
//! which gives [`QuickTool`](handler::QuickTool) and [`LongRunningTool`](handler::LongRunningTool):
//!
//! ```text
//! let tool = handler.erase();
//! tool.schema                     // Option<fn() -> Result<String, SchemaError>>: None = takes no arguments.
//!                                 // Call it only if the definition has no schema of its own: that one wins.
//! (tool.run)(&call, args_json)    // quick: Result<String (Invoke's reply: `{"result":…}`), McpToolError>
//! (tool.start)(call, args_json)   // long-running: Result<BoxFuture<'static, Result<String, McpToolError>>, McpToolError>
//! ```
//!
//! `run` and `start` parse the arguments first; if they are wrong, the handler does not run. `start` calls the
//! handler, which gives its future and runs nothing of an `async` one: its first step is the first poll. The handler's
//! panics pass through all of them.

pub(crate) mod arguments;
pub(crate) mod handler;
pub(crate) mod result;
pub(crate) mod schema;
