//! What can go wrong when a chart is drawn, in sentences. Panels count from 1, as they are read.

/// Why a figure could not be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The figure has no panels.
    #[error("figure \"{id}\" has no panels; give it at least one with `Figure::panel`")]
    NoPanels {
        /// The figure's id.
        id: String,
    },
    /// The id cannot be the beginning of the ids in the SVG.
    #[error(
        "\"{id}\" cannot be a figure's id; begin it with an ASCII letter and go on with letters, digits, - and _"
    )]
    Id {
        /// The id as given.
        id: String,
    },
    /// The size of the panels is not a positive number of pixels.
    #[error("panels cannot be {width} by {height} pixels; give both sides between 20 and 10000")]
    PanelSize {
        /// The width as given.
        width: f64,
        /// The height as given.
        height: f64,
    },
    /// The grid has no columns.
    #[error("figure \"{id}\" has a grid of 0 columns; give `Figure::columns` at least 1")]
    NoColumns {
        /// The figure's id.
        id: String,
    },
    /// Two coordinates of one mark have different lengths.
    #[error(
        "{mark} in panel {panel} has coordinates of different lengths (x: {x}, {other}: {y}); give one of each for every point"
    )]
    Lengths {
        /// The panel, counted from 1.
        panel: usize,
        /// The kind of mark.
        mark: &'static str,
        /// How many values of x there are.
        x: usize,
        /// What the other coordinate is called.
        other: &'static str,
        /// How many values the other coordinate has.
        y: usize,
    },
    /// The width of a line or the size of points is not a positive number.
    #[error("{mark} in panel {panel} has a size of {size} pixels; give a number above 0, at most 1000")]
    MarkSize {
        /// The panel, counted from 1.
        panel: usize,
        /// The kind of mark.
        mark: &'static str,
        /// The size as given.
        size: f64,
    },
    /// The values of cells are not a whole number of rows.
    #[error(
        "cells in panel {panel} have {values} values in rows of {columns}; give whole rows, at least one"
    )]
    Cells {
        /// The panel, counted from 1.
        panel: usize,
        /// How many values there are.
        values: usize,
        /// How many values make a row.
        columns: usize,
    },
    /// A fixed range is empty, reversed or not finite.
    #[error(
        "the {axis} range of panel {panel} is {low} to {high}; give two finite numbers, the smaller first"
    )]
    Range {
        /// The panel, counted from 1.
        panel: usize,
        /// `x` or `y`.
        axis: char,
        /// The lower end as given.
        low: f64,
        /// The upper end as given.
        high: f64,
    },
    /// A fixed range of a logarithmic axis reaches to zero or below.
    #[error(
        "the {axis} range of panel {panel} begins at {low}, which has no logarithm; begin above 0 or use a linear axis"
    )]
    LogRange {
        /// The panel, counted from 1.
        panel: usize,
        /// `x` or `y`.
        axis: char,
        /// The lower end as given.
        low: f64,
    },
    /// The text given to [`png`](crate::png) is not an SVG.
    #[error("the SVG cannot be read: {source}")]
    Svg {
        /// What the reader of SVG says.
        source: resvg::usvg::Error,
    },
    /// The picture would have no pixels, or too many.
    #[error(
        "a picture of {width} by {height} pixels at scale {scale} cannot be made; choose a scale that gives between 1 and 20000 pixels a side"
    )]
    PictureSize {
        /// The width of the SVG.
        width: f32,
        /// The height of the SVG.
        height: f32,
        /// The scale as given.
        scale: f32,
    },
    /// The picture could not be written as PNG.
    #[error("the picture cannot be written as PNG: {source}")]
    Png {
        /// What the writer of PNG says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Error {
    /// Every variant and its code.
    #[doc(hidden)]
    pub const CODES: &'static [(&'static str, &'static str)] = &[
        ("NoPanels", "no-panels"),
        ("Id", "id"),
        ("PanelSize", "panel-size"),
        ("NoColumns", "no-columns"),
        ("Lengths", "lengths"),
        ("MarkSize", "mark-size"),
        ("Cells", "cells"),
        ("Range", "range"),
        ("LogRange", "log-range"),
        ("Svg", "svg"),
        ("PictureSize", "picture-size"),
        ("Png", "png"),
    ];

    /// The name of the error for programs. It stays the same when sentences change.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoPanels { .. } => "no-panels",
            Self::Id { .. } => "id",
            Self::PanelSize { .. } => "panel-size",
            Self::NoColumns { .. } => "no-columns",
            Self::Lengths { .. } => "lengths",
            Self::MarkSize { .. } => "mark-size",
            Self::Cells { .. } => "cells",
            Self::Range { .. } => "range",
            Self::LogRange { .. } => "log-range",
            Self::Svg { .. } => "svg",
            Self::PictureSize { .. } => "picture-size",
            Self::Png { .. } => "png",
        }
    }
}
