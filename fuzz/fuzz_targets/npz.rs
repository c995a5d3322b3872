//! Damaged inputs of the target `npz`, guided by coverage.
#![no_main]

use labelwise_fuzz::{Target, execute, mutate_in_place};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};

fuzz_target!(|input: &[u8]| execute(Target::Npz, input));

fuzz_mutator!(|data: &mut [u8], size: usize, _most: usize, seed: u32| {
    mutate_in_place(Target::Npz, data, size, seed)
});
