//! How a choice gets its name: written once, next to the choice. [`Named`] finds a choice and names it; `FromStr`, `Display` and
//! serde go through it.

use labelwise::words::did_you_mean;

/// Something that is chosen by its name.
pub trait Named: Copy + PartialEq + 'static {
    /// What is chosen, in a word.
    const WHAT: &'static str;

    /// Every choice, in the order in which people read them.
    const CHOICES: &'static [NamedChoice<Self>];

    /// The name of the choice.
    fn name(self) -> &'static str;

    /// The choice of a name. Case does not matter, and `_` is `-`.
    ///
    /// ```
    /// use labelwise_study::{EstimatorName, Named};
    /// assert_eq!(EstimatorName::named("importance_sampling")?, EstimatorName::ImportanceSampling);
    /// let unknown = EstimatorName::named("median").unwrap_err();
    /// assert!(unknown.to_string().starts_with("\"median\" is not a choice of estimator"));
    /// # Ok::<(), labelwise_study::UnknownName>(())
    /// ```
    fn named(name: &str) -> Result<Self, UnknownName> {
        let plain = name.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        let found = Self::CHOICES.iter().find(|choice| choice.names().any(|known| known == plain));
        found.map(|choice| choice.value).ok_or_else(|| UnknownName {
            what: Self::WHAT,
            name: name.to_owned(),
            known: Self::CHOICES.iter().map(|choice| choice.name).collect(),
        })
    }
}

/// One of the things that can be chosen.
#[derive(Debug, Clone, Copy)]
pub struct NamedChoice<T: 'static> {
    /// The choice.
    pub value: T,
    /// Its own name.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    pub(super) comment: &'static str,
}

impl<T> NamedChoice<T> {
    /// What it is, in one line for help texts.
    pub fn help(&self) -> &'static str {
        self.comment.trim().trim_end_matches('.')
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

/// A name that is not a choice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is not a choice of {what}: use one of {}{}", .known.join(", "), did_you_mean(.name, .known.iter().copied()))]
pub struct UnknownName {
    /// The kind of choice.
    pub what: &'static str,
    /// The name.
    pub name: String,
    /// All valid names.
    pub known: Vec<&'static str>,
}

/// Names of the choices of a type: comment, choice, name, aliases.
macro_rules! names {
    ($what:literal $type:ty {
        $(#[doc = $comment:literal] $choice:ident $(($($of:tt)+))? = $name:literal $(| $alias:literal)*,)+
    }) => {
        impl Named for $type {
            const WHAT: &'static str = $what;
            const CHOICES: &'static [NamedChoice<Self>] = &[$(NamedChoice {
                value: Self::$choice $(($($of)+))?,
                name: $name,
                aliases: &[$($alias),*],
                comment: $comment,
            }),+];

            fn name(self) -> &'static str {
                match self {
                    $(Self::$choice $(($($of)+))? => $name,)+
                }
            }
        }
    };
}

/// A type whose choices have names. The comment on a choice is its help text too.
macro_rules! named {
    ($(#[$of_type:meta])* $what:literal $type:ident {
        $(#[doc = $comment:literal] $(#[$of_choice:meta])* $choice:ident = $name:literal $(| $alias:literal)*,)+
    }) => {
        $(#[$of_type])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $type {
            $(#[doc = $comment] $(#[$of_choice])* $choice,)+
        }

        names! { $what $type { $(#[doc = $comment] $choice = $name $(| $alias)*,)+ } }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl std::str::FromStr for $type {
            type Err = UnknownName;

            fn from_str(name: &str) -> Result<Self, UnknownName> {
                Self::named(name)
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name: String = serde::Deserialize::deserialize(deserializer)?;
                Self::named(&name).map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(super) use {named, names};
