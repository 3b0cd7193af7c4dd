//! All integration tests in one binary.

mod layouts;
mod untrusted_bytes;
