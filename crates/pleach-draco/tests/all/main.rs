//! All integration tests in one binary.

mod reference_decoder;
mod streams;
mod untrusted_bytes;
