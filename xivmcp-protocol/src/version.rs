//! Plugin versions, as .NET's `System.Version` reads and compares them.
