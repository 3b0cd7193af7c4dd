pub(crate) mod controller;
pub(crate) mod descriptor;
pub(crate) mod integer_values;
pub(crate) mod transform;
pub(crate) mod traversal;
