//! The charts of labelwise.
