//! One call of a tool.

/// One running call of a tool, as its handler sees it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct McpCall {}
