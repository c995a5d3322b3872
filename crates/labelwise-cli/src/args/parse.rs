//! Parsers of values on the command line.

use std::ffi::OsStr;
use std::marker::PhantomData;
use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use labelwise_study::{FloorChoice, Format, Measurable, Named, Times};

use crate::error::Error;

/// A choice of the library by its name: its names, aliases and help texts are those of the library.
pub(crate) fn named<T: Named>() -> NamedParser<T> {
    NamedParser(PhantomData)
}

/// The parser that [`named`] makes.
#[derive(Clone)]
pub(crate) struct NamedParser<T>(PhantomData<T>);

impl<T: Named + Send + Sync> TypedValueParser for NamedParser<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        text: &OsStr,
    ) -> Result<T, clap::Error> {
        T::named.parse_ref(command, argument, text)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let choices = T::CHOICES.iter();
        Some(Box::new(
            choices.map(|choice| PossibleValue::new(choice.name).aliases(choice.aliases).help(choice.help())),
        ))
    }
}

/// A number without sign or fraction. Its range is checked later.
pub(crate) fn whole<N: FromStr<Err = ParseIntError>>(text: &str) -> Result<N, &'static str> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => "give a smaller number, below 2^64",
        _ => "give a whole number that is not negative, such as 100",
    })
}

/// A number without sign or fraction, and not 0.
pub(crate) fn counting(text: &str) -> Result<usize, &'static str> {
    whole(text).and_then(|number| if number > 0 { Ok(number) } else { Err("give a number above 0") })
}

/// A number. Whether it is a probability is checked later.
pub(crate) fn probability(text: &str) -> Result<f64, &'static str> {
    text.parse().map_err(|_| "give a number between 0 and 1, such as 0.95")
}

/// Refuses a level outside of (0, 1).
pub(crate) fn level(level: f64) -> Result<f64, Error> {
    if level > 0.0 && level < 1.0 { Ok(level) } else { Err(Error::Level { level }) }
}

/// A finite number.
pub(crate) fn number(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|number: &f64| number.is_finite()).ok_or("give a number, such as 0.1")
}

/// A number above 0.
pub(crate) fn positive(text: &str) -> Result<f64, &'static str> {
    number(text).ok().filter(|number| *number > 0.0).ok_or("give a number above 0, such as 0.01")
}

/// A loss or another metric by its name.
pub(crate) fn measurable(text: &str) -> Result<Measurable, String> {
    text.parse().map_err(|error: labelwise_study::UnknownMeasurable| error.to_string())
}

/// A floor by its name, and its strength.
pub(crate) fn floor(text: &str) -> Result<FloorChoice, &'static str> {
    let wrong = "give mixture=0.3, clip=0.2 or none; the number is above 0 and at most 1";
    if text == "none" {
        return Ok(FloorChoice::Unguarded);
    }
    let (name, value) = text.split_once('=').ok_or(wrong)?;
    let value = value.parse().ok().filter(|value| *value > 0.0 && *value <= 1.0).ok_or(wrong)?;
    match name {
        "mixture" => Ok(FloorChoice::Mixture(value)),
        "clip" => Ok(FloorChoice::Clip(value)),
        _ => Err(wrong),
    }
}

/// Two comma-separated ends.
pub(crate) fn range(text: &str) -> Result<(f64, f64), &'static str> {
    let wrong = "give two comma-separated numbers, the smaller first, such as 0,1";
    let (low, high) = text.split_once(',').ok_or(wrong)?;
    match (low.trim().parse(), high.trim().parse()) {
        (Ok(low), Ok(high)) if low < high => Ok((low, high)),
        _ => Err(wrong),
    }
}

/// Comma-separated worths of classes.
pub(crate) fn worth(text: &str) -> Result<(String, f64), &'static str> {
    let wrong = "give classes with their worths, comma-separated, such as A=1,tie=0.5,B=0";
    let (class, worth) = text.rsplit_once('=').ok_or(wrong)?;
    let worth: f64 = worth.trim().parse().map_err(|_| wrong)?;
    if class.trim().is_empty() || !worth.is_finite() {
        return Err(wrong);
    }
    Ok((class.trim().to_owned(), worth))
}

/// A schedule, counted in labels.
pub(crate) fn times(text: &str) -> Result<Times, &'static str> {
    let wrong = "give a number of labels such as 25, comma-separated numbers, or never";
    if text == "never" {
        return Ok(Times::Never);
    }
    let numbers: Vec<usize> =
        text.split(',').map(|part| part.trim().parse().map_err(|_| wrong)).collect::<Result<_, _>>()?;
    match numbers.as_slice() {
        [0] => Err("give a number above 0, or never"),
        [every] => Ok(Times::Every(*every)),
        _ => Ok(Times::At(numbers)),
    }
}

/// Every format by its name.
pub(crate) fn format_parser() -> impl TypedValueParser<Value = Format> {
    // Every possible value is one that parses.
    PossibleValuesParser::new(Format::ALL.map(Format::name)).try_map(|name| name.parse::<Format>())
}

/// The names of two classes, separated by a comma.
pub(crate) fn two_classes(text: &str) -> Result<[String; 2], &'static str> {
    let wanted =
        "give two different names with a comma between, the class of the column last, such as ok,fraud";
    let names: Vec<&str> = text.split(',').map(str::trim).collect();
    match names.as_slice() {
        [other, class] if !other.is_empty() && !class.is_empty() && other != class => {
            Ok([(*other).to_owned(), (*class).to_owned()])
        }
        _ => Err(wanted),
    }
}
