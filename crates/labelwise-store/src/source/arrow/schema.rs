//! The columns of an Arrow file: what each holds, and which buffers are its own.

use super::flatbuffer::Table;
use crate::source::Kind;

/// How deep columns may lie in one another.
const DEEPEST: usize = 16;

/// A column, or a part of one.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) holds: Holds,
    /// The dictionary that its values are places of.
    pub(super) dictionary: Option<i64>,
    /// What it holds when it is that of a dictionary.
    pub(super) entries: Option<Holds>,
    pub(super) children: Vec<Node>,
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    Half,
    Single,
    Double,
    /// Whole numbers of so many bytes.
    Integer {
        bytes: usize,
        signed: bool,
    },
    Truth,
    /// Texts between offsets of so many bytes.
    Text {
        offset: usize,
    },
    TextView,
    /// Lists between offsets of so many bytes.
    List {
        offset: usize,
    },
    /// Lists of so many items.
    FixedList {
        size: usize,
    },
    /// Something that is passed over, with so many buffers of its own.
    Other {
        buffers: usize,
        view: bool,
    },
}

impl Node {
    /// The columns of a schema; none when it is not one, or not of this machine's byte order.
    pub(super) fn columns(schema: Table<'_>) -> Option<Vec<Self>> {
        if schema.i16(0).unwrap_or(0) != 0 {
            return None;
        }
        schema.tables(1)?.into_iter().map(|field| Self::of(field, 0)).collect()
    }

    fn of(field: Table<'_>, depth: usize) -> Option<Self> {
        if depth > DEEPEST {
            return None;
        }
        let children: Option<Vec<Self>> =
            field.tables(5)?.into_iter().map(|child| Self::of(child, depth + 1)).collect();
        let children = children?;
        let held = holds(field.u8(2)?, field.table(3), children.len())?;
        let encoding = field.table(4);
        // Places in a dictionary are whole numbers; the type of the field is that of its entries.
        let places =
            encoding.map(|encoding| encoding.table(1).map_or(int(32, true), |index| integer(Some(index))));
        Some(Self {
            name: field.text(0).unwrap_or_default().to_owned(),
            holds: match places {
                Some(places) => places?,
                None => held,
            },
            dictionary: encoding.map(|encoding| encoding.i64(0).unwrap_or(0)),
            entries: encoding.map(|_| held),
            children,
        })
    }

    pub(super) fn kind(&self) -> Kind {
        match (self.entries.unwrap_or(self.holds), self.children.as_slice()) {
            (Holds::Text { .. } | Holds::TextView, _) => Kind::Text,
            _ if self.dictionary.is_some() => Kind::Other,
            (Holds::Single | Holds::Half, _) => Kind::Single,
            (Holds::Double | Holds::Integer { .. } | Holds::Truth, _) => Kind::Number,
            (Holds::List { .. } | Holds::FixedList { .. }, [item]) => match item.kind() {
                Kind::Single => Kind::SingleList,
                Kind::Number if item.holds != Holds::Truth => Kind::List,
                _ => Kind::Other,
            },
            _ => Kind::Other,
        }
    }

    /// Every dictionary's number and what its entries are.
    pub(super) fn dictionaries(&self, into: &mut Vec<(i64, Holds)>) {
        into.extend(self.dictionary.zip(self.entries));
        self.children.iter().for_each(|child| child.dictionaries(into));
    }
}

fn holds(kind: u8, of: Option<Table<'_>>, children: usize) -> Option<Holds> {
    let other = |buffers| Some(Holds::Other { buffers, view: false });
    match kind {
        1 | 22 => other(0),
        2 => integer(of),
        3 => match of?.i16(0).unwrap_or(0) {
            0 => Some(Holds::Half),
            1 => Some(Holds::Single),
            2 => Some(Holds::Double),
            _ => None,
        },
        4 | 19 => other(3),
        5 => Some(Holds::Text { offset: 4 }),
        6 => Some(Holds::Truth),
        12 if children == 1 => Some(Holds::List { offset: 4 }),
        13 => other(1),
        14 => other(if of?.i16(0).unwrap_or(0) == 0 { 1 } else { 2 }),
        16 if children == 1 => Some(Holds::FixedList { size: usize::try_from(of?.i32(0)?).ok()? }),
        20 => Some(Holds::Text { offset: 8 }),
        21 if children == 1 => Some(Holds::List { offset: 8 }),
        23 => Some(Holds::Other { buffers: 2, view: true }),
        24 => Some(Holds::TextView),
        25 | 26 => other(3),
        7..=11 | 15 | 17 | 18 => other(2),
        _ => None,
    }
}

fn integer(of: Option<Table<'_>>) -> Option<Holds> {
    let of = of?;
    int(of.i32(0).unwrap_or(0), of.u8(1).unwrap_or(0) != 0)
}

fn int(bits: i32, signed: bool) -> Option<Holds> {
    match bits {
        8 | 16 | 32 | 64 => Some(Holds::Integer { bytes: usize::try_from(bits / 8).ok()?, signed }),
        _ => None,
    }
}
