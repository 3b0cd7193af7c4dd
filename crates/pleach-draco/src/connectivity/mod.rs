pub(crate) mod clers;
pub(crate) mod corner_table;
pub(crate) mod edgebreaker;
pub(crate) mod seams;
pub(crate) mod sequential;
