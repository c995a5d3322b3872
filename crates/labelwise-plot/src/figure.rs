//! A figure: panels in a grid, a title, one legend.

use crate::Error;
use crate::layout::Layout;
use crate::panel::Panel;

/// Where the legend is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Legend {
    /// Under the panels.
    #[default]
    Below,
    /// Between the title and the panels.
    Above,
    /// Nowhere.
    Hidden,
}

/// Panels in a grid, row by row, with a legend of all labelled marks.
///
/// ```
/// use labelwise_plot::{Figure, Legend, Line, Panel};
/// let panel = || Panel::new().add(Line::new([0.0, 1.0], [0.0, 1.0]).label("identity"));
/// let figure = Figure::new("two").columns(2).panel(panel()).panel(panel()).letters().legend(Legend::Above);
/// assert!(figure.svg()?.starts_with("<svg"));
/// # Ok::<(), labelwise_plot::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Figure {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) spoken_title: String,
    pub(crate) description: String,
    pub(crate) columns: usize,
    pub(crate) panel_size: (f64, f64),
    pub(crate) legend: Legend,
    pub(crate) letters: bool,
    pub(crate) note: String,
    pub(crate) panels: Vec<Panel>,
}

impl Figure {
    /// A figure without panels. All ids in the SVG begin with `id`, so figures with different ids can stand in one
    /// page. It begins with an ASCII letter and goes on with letters, digits, `-` and `_`.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            title: String::new(),
            spoken_title: String::new(),
            description: String::new(),
            columns: 1,
            panel_size: (300.0, 180.0),
            legend: Legend::default(),
            letters: false,
            note: String::new(),
            panels: Vec::new(),
        }
    }

    /// Sets the title, which stands above everything.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Sets the title that is read to people who do not see the figure. Unless set, it is the title of the figure or of
    /// its panels.
    #[must_use]
    pub fn spoken_title(mut self, title: impl Into<String>) -> Self {
        self.spoken_title = title.into();
        self
    }

    /// Sets what is read to people who do not see the figure. Unless set, it tells what the axes and series are.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// Sets the number of panels per row. The default is 1.
    #[must_use]
    pub fn columns(mut self, columns: usize) -> Self {
        self.columns = columns;
        self
    }

    /// Sets the size of the plot area of each panel, in pixels, without what stands around it; it is 300 by 180
    /// unless set.
    #[must_use]
    pub fn panel_size(mut self, width: f64, height: f64) -> Self {
        self.panel_size = (width, height);
        self
    }

    /// Sets where the legend is.
    #[must_use]
    pub fn legend(mut self, legend: Legend) -> Self {
        self.legend = legend;
        self
    }

    /// Puts (a), (b), … before the titles of the panels.
    #[must_use]
    pub fn letters(mut self) -> Self {
        self.letters = true;
        self
    }

    /// Sets a line in small letters under everything, such as what the figure was made from.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }

    /// Adds a panel, at the end of the last row.
    #[must_use]
    pub fn panel(mut self, panel: Panel) -> Self {
        self.panels.push(panel);
        self
    }

    /// The figure as SVG: one `svg` element, which can stand in an HTML page or in a file. Equal figures give equal
    /// text.
    ///
    /// # Errors
    ///
    /// The figure has no panels or no columns, its id or size is not usable, a mark has coordinates of different
    /// lengths, or a fixed range is empty, not finite, or not positive on a logarithmic axis.
    pub fn svg(&self) -> Result<String, Error> {
        self.check()?;
        Ok(Layout::new(self)?.draw())
    }

    fn check(&self) -> Result<(), Error> {
        let usable = self.id.starts_with(|c: char| c.is_ascii_alphabetic())
            && self.id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        if !usable {
            return Err(Error::Id { id: self.id.clone() });
        }
        if self.panels.is_empty() {
            return Err(Error::NoPanels { id: self.id.clone() });
        }
        if self.columns == 0 {
            return Err(Error::NoColumns { id: self.id.clone() });
        }
        let (width, height) = self.panel_size;
        let possible = 20.0..=10_000.0;
        if !possible.contains(&width) || !possible.contains(&height) {
            return Err(Error::PanelSize { width, height });
        }
        Ok(())
    }
}
