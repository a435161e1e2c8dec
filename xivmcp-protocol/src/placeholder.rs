//! Placeholders in the arguments of job steps: their grammar, and putting results in.
