//! The values of a column of any Arrow type.

use std::borrow::Cow;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayAccessor, ArrayRef, BooleanArray, Float32Array, Float64Array, Int64Array, PrimitiveArray,
    UInt64Array,
};
use arrow_schema::DataType;

use crate::source::cell::Cell;

/// The values of a column, converted to a few types.
pub(super) enum Values<'a> {
    Singles(Float32Array),
    Doubles(Float64Array),
    Integers(Int64Array),
    Unsigned(UInt64Array),
    Truths(&'a BooleanArray),
    Texts(Texts<'a>),
    Other,
}

/// The text of a row.
pub(super) type Texts<'a> = Box<dyn Fn(usize) -> Cell<'a> + 'a>;

impl<'a> Values<'a> {
    pub(super) fn of(array: &'a ArrayRef) -> Self {
        match array.data_type() {
            DataType::Float16 => Self::Singles(array.as_primitive::<Float16Type>().unary(f32::from)),
            DataType::Float32 => Self::Singles(array.as_primitive::<Float32Type>().clone()),
            DataType::Float64 => Self::Doubles(array.as_primitive::<Float64Type>().clone()),
            DataType::Int8 => Self::Integers(array.as_primitive::<Int8Type>().unary(i64::from)),
            DataType::Int16 => Self::Integers(array.as_primitive::<Int16Type>().unary(i64::from)),
            DataType::Int32 => Self::Integers(array.as_primitive::<Int32Type>().unary(i64::from)),
            DataType::Int64 => Self::Integers(array.as_primitive::<Int64Type>().clone()),
            DataType::UInt8 => Self::Integers(array.as_primitive::<UInt8Type>().unary(i64::from)),
            DataType::UInt16 => Self::Integers(array.as_primitive::<UInt16Type>().unary(i64::from)),
            DataType::UInt32 => Self::Integers(array.as_primitive::<UInt32Type>().unary(i64::from)),
            DataType::UInt64 => Self::Unsigned(array.as_primitive::<UInt64Type>().clone()),
            DataType::Date32 | DataType::Time32(_) => match as_integers::<Int32Type>(array) {
                Some(times) => Self::Integers(times.unary(i64::from)),
                None => Self::Other,
            },
            DataType::Date64 | DataType::Time64(_) | DataType::Timestamp(..) | DataType::Duration(_) => {
                as_integers(array).map_or(Self::Other, Self::Integers)
            }
            DataType::Boolean => Self::Truths(array.as_boolean()),
            DataType::Dictionary(_, entries) if entries.is_primitive() => Self::of_entries(array),
            _ => texts(array).map_or(Self::Other, Self::Texts),
        }
    }

    /// Numbers that a dictionary holds once each.
    fn of_entries(array: &ArrayRef) -> Self {
        let dictionary = array.as_any_dictionary();
        // If a dictionary has no entries, all rows are null.
        let keys = match dictionary.values().is_empty() {
            true => vec![0; array.len()],
            false => dictionary.normalized_keys(),
        };
        match Values::of(dictionary.values()) {
            Values::Singles(entries) => Self::Singles(spread(array, &keys, &entries)),
            Values::Doubles(entries) => Self::Doubles(spread(array, &keys, &entries)),
            Values::Integers(entries) => Self::Integers(spread(array, &keys, &entries)),
            Values::Unsigned(entries) => Self::Unsigned(spread(array, &keys, &entries)),
            Values::Truths(_) | Values::Texts(_) | Values::Other => Self::Other,
        }
    }

    pub(super) fn cell(&self, row: usize) -> Cell<'a> {
        match self {
            Self::Singles(values) if values.is_valid(row) => Cell::Number(values.value(row).into()),
            Self::Doubles(values) if values.is_valid(row) => Cell::Number(values.value(row)),
            Self::Integers(values) if values.is_valid(row) => Cell::Integer(values.value(row)),
            Self::Unsigned(values) if values.is_valid(row) => match i64::try_from(values.value(row)) {
                Ok(value) => Cell::Integer(value),
                // As a text, because f64 cannot hold every digit.
                Err(_) => Cell::Text(Cow::Owned(values.value(row).to_string())),
            },
            Self::Truths(values) if values.is_valid(row) => Cell::Truth(values.value(row)),
            Self::Texts(texts) => texts(row),
            Self::Other => Cell::Other,
            _ => Cell::Nothing,
        }
    }
}

/// The entry of each row.
fn spread<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    keys: &[usize],
    entries: &PrimitiveArray<T>,
) -> PrimitiveArray<T> {
    let is_there =
        |row: usize, key: usize| array.is_valid(row) && key < entries.len() && entries.is_valid(key);
    let rows = keys.iter().enumerate();
    rows.map(|(row, &key)| is_there(row, key).then(|| entries.value(key))).collect()
}

/// Times as the whole numbers that they are stored as.
fn as_integers<T: ArrowPrimitiveType>(array: &ArrayRef) -> Option<PrimitiveArray<T>> {
    let data = array.to_data().into_builder().data_type(T::DATA_TYPE).build().ok()?;
    Some(PrimitiveArray::from(data))
}

fn texts(array: &ArrayRef) -> Option<Texts<'_>> {
    Some(match array.data_type() {
        DataType::Utf8 => plain_texts(array.as_string::<i32>()),
        DataType::LargeUtf8 => plain_texts(array.as_string::<i64>()),
        DataType::Utf8View => plain_texts(array.as_string_view()),
        DataType::BinaryView => {
            let bytes = array.as_binary_view();
            Box::new(move |row| match bytes.is_valid(row).then(|| std::str::from_utf8(bytes.value(row))) {
                Some(Ok(text)) => Cell::Text(Cow::Borrowed(text)),
                Some(Err(_)) => Cell::Other,
                None => Cell::Nothing,
            })
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            let entries = texts(dictionary.values())?;
            // If a dictionary has no entries, all rows are null.
            let keys = if dictionary.values().is_empty() { Vec::new() } else { dictionary.normalized_keys() };
            Box::new(move |row| match keys.get(row) {
                Some(&key) if array.is_valid(row) => entries(key),
                _ => Cell::Nothing,
            })
        }
        _ => return None,
    })
}

fn plain_texts<'a>(array: impl ArrayAccessor<Item = &'a str> + 'a) -> Texts<'a> {
    Box::new(move |row| match array.is_valid(row) {
        true => Cell::Text(Cow::Borrowed(array.value(row))),
        false => Cell::Nothing,
    })
}
