pub(crate) mod rans;
pub(crate) mod reader;
pub(crate) mod symbols;
