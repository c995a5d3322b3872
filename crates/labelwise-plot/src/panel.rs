//! A panel as its owner describes it.

use crate::axis::Axis;
use crate::mark::Mark;

/// Two axes and the marks between them.
///
/// Cells lie lowest, then bands, bars, rules, stems, lines, points, and words on top. Among marks of one kind, those added
/// first lie lowest. A panel without marks shows empty axes.
///
/// ```
/// use labelwise_plot::{Axis, Panel, Points};
/// let panel = Panel::new().title("Data").x(Axis::new("x")).y(Axis::new("y")).add(Points::new([0.0, 1.0], [1.0, 3.0]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Panel {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) marks: Vec<Mark>,
}

impl Panel {
    /// A panel with linear axes without labels.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the title, which stands above the panel.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Sets the horizontal axis.
    #[must_use]
    pub fn x(mut self, axis: Axis) -> Self {
        self.x = axis;
        self
    }

    /// Sets the vertical axis.
    #[must_use]
    pub fn y(mut self, axis: Axis) -> Self {
        self.y = axis;
        self
    }

    /// Adds a mark.
    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "a panel plus a mark is not a sum")]
    pub fn add(mut self, mark: impl Into<Mark>) -> Self {
        self.marks.push(mark.into());
        self
    }
}

impl<M: Into<Mark>> Extend<M> for Panel {
    /// Adds marks, for loops over methods.
    fn extend<I: IntoIterator<Item = M>>(&mut self, marks: I) {
        self.marks.extend(marks.into_iter().map(Into::into));
    }
}
