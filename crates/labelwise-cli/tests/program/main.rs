//! The program as a person or a script meets it: the real binary, its texts, its numbers and its exit codes.

#[cfg(test)]
mod archives;
#[cfg(test)]
mod bombs;
#[cfg(test)]
mod colour;
#[cfg(test)]
mod contents;
#[cfg(test)]
mod data;
#[cfg(test)]
#[allow(dead_code, reason = "shared with the tests of the experiments, which use all of it")]
#[path = "../../../labelwise-paper/tests/images/digits.rs"]
mod digits;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod foreign;
#[cfg(test)]
mod networks;
#[cfg(test)]
mod numbers;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod paper;
#[cfg(test)]
mod pools;
#[cfg(test)]
mod run;
#[cfg(test)]
mod settings;
#[cfg(test)]
mod simulate;
#[cfg(test)]
mod surrogates;
#[cfg(test)]
mod texts;
