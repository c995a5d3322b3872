//! The shape of an image in a row of numbers.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// How the numbers of a row are an image: channel after channel, each row by row.
///
/// ```
/// use labelwise_deep::Shape;
/// let shape = Shape::new(3, 32, 32)?;
/// assert_eq!(shape.pixels(), 3_072);
/// assert_eq!(shape.to_string(), "3 x 32 x 32");
/// # Ok::<(), labelwise_deep::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Colours: 1 for grey images.
    pub channels: usize,
    /// Rows of pixels.
    pub height: usize,
    /// Columns of pixels.
    pub width: usize,
}

impl Shape {
    /// A shape with pixels in it.
    pub fn new(channels: usize, height: usize, width: usize) -> Result<Self> {
        let shape = Self { channels, height, width };
        if shape.pixels() == 0 { Err(Error::NoPixels(shape)) } else { Ok(shape) }
    }

    /// How many numbers an image has.
    pub fn pixels(self) -> usize {
        self.channels * self.height * self.width
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {} x {}", self.channels, self.height, self.width)
    }
}
