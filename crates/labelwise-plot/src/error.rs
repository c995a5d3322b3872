//! Errors of charts. Panels count from 1.

/// Why a figure could not be drawn.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
#[non_exhaustive]
pub enum Error {
    /// The figure has no panels.
    #[error("figure \"{id}\" has no panels; give it at least one with `Figure::panel`")]
    NoPanels { id: String },
    /// The id cannot start the ids of the SVG.
    #[error(
        "\"{id}\" cannot be a figure's id; begin it with an ASCII letter and go on with letters, digits, - and _"
    )]
    Id { id: String },
    /// The size of the panels is not a positive number of pixels.
    #[error("panels cannot be {width} by {height} pixels; give both sides between 20 and 10000")]
    PanelSize { width: f64, height: f64 },
    /// The grid has no columns.
    #[error("figure \"{id}\" has a grid of 0 columns; give `Figure::columns` at least 1")]
    NoColumns { id: String },
    /// Two coordinates of one mark have different lengths.
    #[error(
        "{mark} in panel {panel} has coordinates of different lengths (x: {x}, {other}: {y}); give one of each for every point"
    )]
    Lengths {
        /// The panel, counted from 1.
        panel: usize,
        mark: &'static str,
        x: usize,
        other: &'static str,
        y: usize,
    },
    /// The width of a line or the size of points is not a positive number.
    #[error("{mark} in panel {panel} has a size of {size} pixels; give a number above 0, at most 1000")]
    MarkSize {
        /// The panel, counted from 1.
        panel: usize,
        mark: &'static str,
        size: f64,
    },
    /// The values of cells are not a whole number of rows.
    #[error(
        "cells in panel {panel} have {values} values in rows of {columns}; give whole rows, at least one"
    )]
    Cells {
        /// The panel, counted from 1.
        panel: usize,
        values: usize,
        columns: usize,
    },
    /// A fixed range is empty, reversed or not finite.
    #[error(
        "the {axis} range of panel {panel} is {low} to {high}; give two finite numbers, the smaller first"
    )]
    Range {
        /// The panel, counted from 1.
        panel: usize,
        axis: char,
        low: f64,
        high: f64,
    },
    /// A fixed range of a logarithmic axis reaches to zero or below.
    #[error(
        "the {axis} range of panel {panel} begins at {low}, which has no logarithm; begin above 0 or use a linear axis"
    )]
    LogRange {
        /// The panel, counted from 1.
        panel: usize,
        axis: char,
        low: f64,
    },
    /// The text given to [`png`](crate::png) is not an SVG.
    #[error("the SVG cannot be read: {source}")]
    Svg { source: resvg::usvg::Error },
    /// The picture would have no pixels, or too many.
    #[error(
        "a picture of {width} by {height} pixels at scale {scale} cannot be made; choose a scale that gives between 1 and 20000 pixels a side"
    )]
    PictureSize { width: f32, height: f32, scale: f32 },
    /// The picture could not be written as PNG.
    #[error("the picture cannot be written as PNG: {source}")]
    Png { source: Box<dyn std::error::Error + Send + Sync> },
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
