//! The figures and tables of "Active Testing: Sample-Efficient Model Evaluation", made anew.

pub mod statistics;
