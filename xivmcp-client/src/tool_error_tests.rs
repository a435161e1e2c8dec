//! R-CLI-5: what the message of a failed handler says.

use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;

use super::{Cancelled, McpToolError, last_part};

#[derive(Debug, thiserror::Error)]
#[error("the bags are full")]
struct BagsFull;

#[derive(Debug, thiserror::Error)]
#[error("{0:?}")]
struct Generic<T: std::fmt::Debug>(T);

#[derive(Debug, thiserror::Error)]
enum Farming {
    #[error("stopped")]
    Stopped(#[from] Cancelled),
    #[error("no mount")]
    NoMount,
}

#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct Transparent(#[from] Cancelled);

fn message(error: impl Into<McpToolError>) -> String {
    error.into().message().to_owned()
}

// R-CLI-5
#[test]
fn a_text_is_the_message() {
    let local = String::from("local");
    assert_eq!(message("plain"), "plain");
    assert_eq!(message(local.as_str()), "local");
    assert_eq!(message(String::from("owned")), "owned");
    assert_eq!(message(Cow::Borrowed("cow")), "cow");
    assert_eq!(message(McpToolError::new("as it is")), "as it is");
}

// R-CLI-5
#[test]
fn an_error_shows_the_last_part_of_its_type() {
    assert_eq!(message(BagsFull), "BagsFull: the bags are full");
    assert_eq!(message(Farming::NoMount), "Farming: no mount");
    assert_eq!(message("x".parse::<u8>().unwrap_err()), "ParseIntError: invalid digit found in string");
    assert_eq!(message(Generic(vec![std::time::Duration::ZERO])), "Generic: [0ns]");
    assert_eq!(message(Box::new(BagsFull)), "BagsFull: the bags are full");
    assert_eq!(message(Arc::new(Generic(1))), "Generic: 1");
}

// R-CLI-5
#[test]
fn a_boxed_error_shows_its_text_alone() {
    let boxed: Box<dyn Error + Send + Sync> = Box::new(BagsFull);
    assert_eq!(message(boxed), "the bags are full");
    let shared: Arc<dyn Error + Send + Sync> = Arc::new(BagsFull);
    assert_eq!(message(shared), "the bags are full");
}

// R-CLI-5
#[test]
fn cancelled_ends_the_call_as_cancelled_also_from_inside_other_errors() {
    for error in [
        McpToolError::from(Cancelled),
        McpToolError::from(Farming::from(Cancelled)),
        McpToolError::from(Transparent::from(Cancelled)),
        McpToolError::from(Box::<dyn Error + Send + Sync>::from(Cancelled)),
    ] {
        assert!(error.is_cancelled());
        assert_eq!(error.message(), "The call was cancelled.");
    }
    assert!(!McpToolError::from(BagsFull).is_cancelled());
    assert!(!McpToolError::new("The call was cancelled.").is_cancelled());
}

#[test]
fn the_question_mark_takes_errors_texts_and_tool_errors() {
    fn run(which: u8) -> Result<(), McpToolError> {
        match which {
            0 => Err("text")?,
            1 => Err(String::from("owned"))?,
            2 => Err(BagsFull)?,
            3 => Err(Box::<dyn Error + Send + Sync>::from("boxed"))?,
            4 => Err(McpToolError::new("itself"))?,
            _ => {}
        }
        Ok(())
    }
    let messages: Vec<_> = (0..5).map(|which| run(which).unwrap_err().to_string()).collect();
    assert_eq!(messages, ["text", "owned", "BagsFull: the bags are full", "boxed", "itself"]);
    assert!(run(5).is_ok());
}

#[test]
fn the_last_part_survives_generics_and_impl_blocks() {
    for (full, part) in [
        ("Error", "Error"),
        ("a::b::Error", "Error"),
        ("a::Error<b::C>", "Error"),
        ("a::Error<fn(b::C) -> d::E, f::G>", "Error"),
        ("<a::B as c::D<e::F>>::run::Error", "Error"),
        ("a::run::{{closure}}::Error", "Error"),
        ("", ""),
    ] {
        assert_eq!(last_part(full), part, "{full}");
    }
}
