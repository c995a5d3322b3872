//! The program as a person or a script meets it: the real binary, its texts, its numbers and its exit codes.

#[cfg(test)]
mod numbers;
#[cfg(test)]
mod paper;
#[cfg(test)]
mod run;
#[cfg(test)]
mod texts;
