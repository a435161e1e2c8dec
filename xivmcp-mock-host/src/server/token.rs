//! The secrets that give access. For `auth` and the program's start only.

use std::fmt;

use subtle::ConstantTimeEq;

/// Random bytes in a token.
const BYTES: usize = 24;

/// A secret in hexadecimal digits. Comparing takes the same time wherever the difference is; printing it for debugging
/// does not show it.
pub(crate) struct Token(String);

impl Token {
    /// A new one, from the system's random numbers.
    pub(crate) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// One that is known already.
    pub(crate) fn known(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The secret itself.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether `candidate` is the secret.
    pub(crate) fn matches(&self, candidate: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(candidate).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_secret_matches_and_debugging_does_not_show_it() {
        let token = Token::random().unwrap();
        assert_eq!(token.reveal().len(), 2 * BYTES);
        assert!(token.matches(token.reveal().as_bytes()));
        assert!(!token.matches(&token.reveal().as_bytes()[1..]));
        assert!(!token.matches(b""));
        assert!(!token.matches(Token::random().unwrap().reveal().as_bytes()));
        assert!(!format!("{token:?}").contains(token.reveal()));
    }
}
