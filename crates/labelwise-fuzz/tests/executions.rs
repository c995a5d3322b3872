//! A few hundred damaged files for every reader. `cargo xtask reliability fuzz` runs millions.

#![allow(missing_docs, clippy::panic, reason = "a test may fail loudly")]

use labelwise_fuzz::{Target, campaign, panics};

/// Executions of each target.
const EXECUTIONS: u64 = 400;

#[test]
fn no_reader_panics_and_many_files_go_through() {
    for target in Target::ALL {
        let counts = campaign::run(target, 0, 0..EXECUTIONS, |_, _| true);
        println!("{target}: {counts:?}");
        assert_eq!(counts.panics, 0, "{target}: {:?}", panics::texts());
        assert_eq!(counts.executions, EXECUTIONS);
        assert!(counts.estimated * 5 > EXECUTIONS, "{target}: only {counts:?}");
    }
}
