//! Jobs and their steps, as a plugin sends them and as the host describes them.
