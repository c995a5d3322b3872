//! Tables as files of every format, in the variants that writers of the format produce.

mod columnar;
mod logs;
mod numpy;
mod text;

pub(crate) use columnar::{arrow, parquet};
pub(crate) use logs::{inspect, lm_eval};
pub(crate) use numpy::{npy, npz};
pub(crate) use text::{csv, json_table, jsonl, twist_json, twisted_lines};
