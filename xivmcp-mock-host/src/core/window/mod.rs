//! What the player's window shows of the core, and the one decision in it that tests make otherwise. For the server's
//! window only: plain data, made to be serialized, so that the page's JSON is described here and nowhere else.
//!
//! JSON that assistants and plugins sent is passed on as text: a page that read and wrote it again would show other
//! numbers than were sent.

mod cards;
mod work;

use xivmcp_protocol::Capability;

pub(crate) use work::CallRow;

use super::Core;
use super::policy::Shown;

impl Core {
    /// What a page had shown when the player decided (R-POL-5).
    pub(crate) fn shown_on_page(tools: Vec<String>, capabilities: &[String]) -> Shown {
        Shown {
            tools: tools.into_iter().collect(),
            capabilities: capabilities.iter().map(|id| Capability::from(id.as_str())).collect(),
        }
    }
}
