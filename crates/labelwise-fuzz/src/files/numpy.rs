//! NumPy arrays, alone and in archives.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::random::Random;
use crate::table::{Table, Values};

/// The first column of numbers or lists of a table as an array.
pub(crate) fn npy(table: &Table, random: &mut Random) -> Vec<u8> {
    let first = table.columns.iter().find(|(_, values)| !matches!(values, Values::Texts(_)));
    first.map(|(_, values)| array(values, random)).unwrap_or_default()
}

/// All columns of a table as arrays.
pub(crate) fn npz(table: &Table, random: &mut Random) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, values) in &table.columns {
        let bytes = array(values, random);
        add(&mut archive, &format!("{name}.npy"), &bytes, random);
    }
    archive.finish().map(Cursor::into_inner).unwrap_or_default()
}

/// Adds an entry to an archive. Names that a ZIP archive cannot have are left out.
pub(super) fn add(archive: &mut ZipWriter<Cursor<Vec<u8>>>, name: &str, bytes: &[u8], random: &mut Random) {
    let methods = [CompressionMethod::Stored, CompressionMethod::Deflated, CompressionMethod::Zstd];
    let options = SimpleFileOptions::default().compression_method(random.pick(&methods));
    if archive.start_file(name, options).is_ok() {
        let _ = archive.write_all(bytes);
    }
}

fn array(values: &Values, random: &mut Random) -> Vec<u8> {
    match values {
        Values::Numbers(numbers) => {
            let numbers: Vec<f64> = numbers.iter().map(|number| number.unwrap_or(f64::NAN)).collect();
            let shape = format!("({},)", numbers.len());
            of_numbers(&numbers, &shape, false, random)
        }
        Values::Lists(lists) => {
            let width = lists.first().map_or(0, Vec::len);
            let shape = format!("({}, {width})", lists.len());
            let fortran = random.one_in(3);
            let numbers: Vec<f64> = if fortran {
                (0..width).flat_map(|at| lists.iter().filter_map(move |list| list.get(at).copied())).collect()
            } else {
                lists.concat()
            };
            of_numbers(&numbers, &shape, fortran, random)
        }
        Values::Texts(texts) => of_texts(texts, random),
    }
}

fn of_numbers(numbers: &[f64], shape: &str, fortran: bool, random: &mut Random) -> Vec<u8> {
    let whole = numbers.iter().all(|number| number.fract() == 0.0);
    let kinds: &[&str] = if whole { &["<f8", "<i8", "|u1", "|b1"] } else { &["<f8", "<f8", "<f4", ">f8"] };
    let kind = random.pick(kinds);
    let bytes = numbers.iter().flat_map(|&number| match kind {
        "<f4" => (number as f32).to_le_bytes().to_vec(),
        ">f8" => number.to_be_bytes().to_vec(),
        "<i8" => (number as i64).to_le_bytes().to_vec(),
        "|u1" | "|b1" => vec![number as u8],
        _ => number.to_le_bytes().to_vec(),
    });
    let mut file = header(kind, shape, fortran);
    file.extend(bytes);
    file
}

fn of_texts(texts: &[Option<String>], random: &mut Random) -> Vec<u8> {
    let texts: Vec<Vec<char>> =
        texts.iter().map(|text| text.as_deref().unwrap_or_default().chars().collect()).collect();
    let longest = texts.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let shape = format!("({},)", texts.len());
    if random.one_in(4) {
        let mut file = header(&format!("|S{longest}"), &shape, false);
        let letters =
            |text: &Vec<char>| (0..longest).map(|at| text.get(at).map_or(0, |&c| c as u8)).collect();
        file.extend(texts.iter().flat_map(|text| -> Vec<u8> { letters(text) }));
        return file;
    }
    let mut file = header(&format!("<U{longest}"), &shape, false);
    let letter = |text: &Vec<char>, at: usize| text.get(at).map_or(0, |&c| u32::from(c)).to_le_bytes();
    file.extend(
        texts.iter().flat_map(|text| (0..longest).flat_map(|at| letter(text, at)).collect::<Vec<u8>>()),
    );
    file
}

fn header(kind: &str, shape: &str, fortran: bool) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let text = format!("{{'descr': '{kind}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((text.len() as u16).to_le_bytes());
    file.extend(text.into_bytes());
    file
}
