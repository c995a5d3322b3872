//! The statistics of repeated runs.
