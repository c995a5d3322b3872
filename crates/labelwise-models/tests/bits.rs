//! Draws and estimates are the same on every machine, to the last bit.

#![allow(missing_docs, reason = "a test")]

#[path = "../examples/bits.rs"]
#[allow(dead_code, reason = "the example prints what the test compares")]
mod bits;

#[test]
fn every_bit_is_the_one_on_file() {
    assert_eq!(bits::text().as_deref(), Ok(include_str!("../examples/bits.txt")));
}
