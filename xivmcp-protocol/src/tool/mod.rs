//! Tools: their names, their definitions as sent and as checked, and what the gates about them reply (SPEC §4).
//!
//! An author's side writes a [`ToolDefinition`] and checks it before it sends it; the host reads the text with
//! [`CheckedDefinition::parse`]. Both run the same rules, so that an author hears early what the host would refuse.

mod checked;
mod definition;
mod error;
mod name;
mod reply;

pub use checked::CheckedDefinition;
pub use definition::ToolDefinition;
pub use error::DefinitionError;
pub use name::{ToolName, ToolNameError};
pub use reply::{RegistrationReply, UnregisterAllReply, UnregisterToolReply};
