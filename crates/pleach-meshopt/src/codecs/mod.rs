pub(crate) mod index_sequence;
pub(crate) mod triangle;
pub(crate) mod vertex;
