//! Files whose parts contradict one another, or that are valid in an unexpected way.

use std::fs::File;
use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{Hostile, Written};

pub(crate) const ALL: [Hostile; 24] = [
    Hostile { name: "huge.npy", quick: true, write: |file| npy(file, "<f8", "(1000000000000, 2)", 64) },
    Hostile {
        name: "overflow.npy",
        quick: true,
        write: |file| npy(file, "<f8", "(18446744073709551615, 4)", 64),
    },
    Hostile { name: "negative.npy", quick: true, write: |file| npy(file, "<f8", "(-4, 2)", 64) },
    Hostile {
        name: "empty_rows.npy",
        quick: true,
        write: |file| npy(file, "<f8", "(9223372036854775807, 0)", 0),
    },
    Hostile { name: "scalar.npy", quick: true, write: |file| npy(file, "<f8", "()", 8) },
    Hostile {
        name: "wide_text.npy",
        quick: true,
        write: |file| npy(file, "<U4611686018427387904", "(4,)", 64),
    },
    Hostile { name: "pickle.npy", quick: true, write: |file| npy(file, "|O", "(2,)", 64) },
    Hostile { name: "records.npy", quick: true, write: |file| npy(file, "[('a', '<f8')]", "(2,)", 16) },
    Hostile { name: "many_arrays.npz", quick: false, write: |file| many(file, 59_000) },
    Hostile { name: "deep.jsonl", quick: true, write: |file| text(file, "{\"probs\": ", "[", 4_000_000, "") },
    Hostile {
        name: "deep.json",
        quick: true,
        write: |file| text(file, "{\"columns\": [\"p_a\"], \"data\": ", "[", 4_000_000, ""),
    },
    Hostile {
        name: "deep_objects.jsonl",
        quick: true,
        write: |file| text(file, "", "{\"a\":", 1_500_000, ""),
    },
    Hostile {
        name: "long_list.jsonl",
        quick: true,
        write: |file| text(file, "{\"probs\": [0", ",0", 4_000_000, "]}\n"),
    },
    Hostile {
        name: "columns.jsonl",
        quick: true,
        write: |file| numbered(file, "{", "\"p_", "\":0,", "\"x\":1}\n"),
    },
    Hostile { name: "columns.csv", quick: true, write: |file| numbered(file, "id", ",prob_", "", "\n1\n") },
    Hostile {
        name: "columns.json",
        quick: true,
        write: |file| numbered(file, "{\"columns\":[\"a\"", ",\"p_", "\"", "],\"data\":[]}"),
    },
    Hostile {
        name: "commas.csv",
        quick: true,
        write: |file| text(file, "id,p_a,p_b\n1", ",", 9_000_000, "\n"),
    },
    Hostile {
        name: "quote.csv",
        quick: true,
        write: |file| text(file, "id,p_a,p_b\n\"1", "x\n", 4_500_000, ""),
    },
    Hostile { name: "lines.csv", quick: true, write: |file| text(file, "id,p_a,p_b\n", "\n", 9_000_000, "") },
    Hostile {
        name: "nan.csv",
        quick: true,
        write: |file| text(file, "id,p_a,p_b\n", "1,NaN,inf\n", 500_000, ""),
    },
    Hostile {
        name: "digits.csv",
        quick: true,
        write: |file| text(file, "id,p_a,p_b\n1,0.", "9", 9_000_000, ",0\n"),
    },
    Hostile { name: "nul.csv", quick: true, write: |file| text(file, "id,p_a,p_b\n", "\0", 9_000_000, "") },
    Hostile {
        name: "footer.parquet",
        quick: true,
        write: |file| framed(file, b"PAR1", &[0xff, 0xff, 0xff, 0x7f]),
    },
    Hostile {
        name: "footer.arrow",
        quick: true,
        write: |file| framed(file, b"ARROW1\0\0", &[0xff, 0xff, 0xff, 0x7f]),
    },
];

fn npy(mut file: File, kind: &str, shape: &str, bytes: usize) -> Written {
    let kind = if kind.starts_with('[') { kind.to_owned() } else { format!("'{kind}'") };
    let header = format!("{{'descr': {kind}, 'fortran_order': False, 'shape': {shape}, }}\n");
    file.write_all(b"\x93NUMPY\x01\x00")?;
    file.write_all(&u16::try_from(header.len())?.to_le_bytes())?;
    file.write_all(header.as_bytes())?;
    Ok(file.write_all(&vec![0; bytes])?)
}

/// Very many arrays of one number.
fn many(mut file: File, arrays: usize) -> Written {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }\n";
    let length = u16::try_from(header.len())?.to_le_bytes();
    let array = [b"\x93NUMPY\x01\x00", length.as_slice(), header.as_bytes(), &[0; 8]].concat();
    for number in 0..arrays {
        archive.start_file(format!("p_{number}.npy"), SimpleFileOptions::default())?;
        archive.write_all(&array)?;
    }
    Ok(file.write_all(&archive.finish()?.into_inner())?)
}

/// A text with a part that is repeated.
fn text(mut file: File, start: &str, part: &str, times: usize, end: &str) -> Written {
    Ok(file.write_all(format!("{start}{}{end}", part.repeat(times)).as_bytes())?)
}

/// A text with a part that is repeated with numbers: nearly a million columns.
fn numbered(mut file: File, start: &str, before: &str, after: &str, end: &str) -> Written {
    let parts: String = (0..600_000).map(|number| format!("{before}{number}{after}")).collect();
    Ok(file.write_all(format!("{start}{parts}{end}").as_bytes())?)
}

/// A file that begins and ends as it should, and lies about the length of its footer.
fn framed(mut file: File, magic: &[u8], length: &[u8]) -> Written {
    let end = if magic == b"PAR1" { magic } else { b"ARROW1" };
    Ok(file.write_all(&[magic, &[0; 64], length, end].concat())?)
}
