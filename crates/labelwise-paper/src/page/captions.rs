//! How to read a picture, for someone who has not read the paper.

use crate::figures::{Picture, Shows};

/// A sentence or two for each kind of panel in the picture, in the order of their first appearance.
pub(super) fn caption(picture: &Picture) -> String {
    let mut sentences: Vec<&str> = Vec::new();
    for sentence in picture.panels.iter().map(|panel| of(panel.shows)) {
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    sentences.join(" ")
}

fn of(shows: Shows) -> &'static str {
    match shows {
        Shows::Error(_) => {
            "R̂ − R̂<sub>pool</sub> is how far an estimate from M labels is from the loss on all test points: the line is \
             the mean over all runs, the band one standard deviation to either side (dotted: draws by the true loss, which are exact). A good \
             estimate has its line at 0 and a narrow band."
        }
        Shows::MeanAndDeviation(_) => {
            "R̂ − R̂<sub>pool</sub> is how far an estimate from M labels is from the loss on all test points: solid lines \
             are means over all runs, dashed lines standard deviations. A good estimate has its solid line at 0 and a \
             low dashed line. The upright grey line marks the size of the pool; the first few steps are cut off."
        }
        Shows::SquaredError(_) => {
            "The median of the squared error is on a logarithmic axis; lower is better."
        }
        Shows::Data => "The data are those of one run, with the model that is tested on them.",
        Shows::StepData => {
            "Left, the data: the model f with its uncertainty, the points it was trained on, and the test points, of \
             which four are labelled."
        }
        Shows::StepLoss => {
            "Right, how the loss is shared among the test points that are left: as the surrogate expects it (q) and as \
             it really is."
        }
    }
}
