//! Declaring the tools that a plugin's jobs use, and the answer to it.
