//! How to read a picture, for someone who has not read the paper.

use maud::PreEscaped;

use crate::figure::{Picture, Shows, Together};

/// A sentence or two for each kind of panel in the picture, in the order of their first appearance.
pub(super) fn caption(picture: &Picture) -> PreEscaped<String> {
    let mut sentences: Vec<&str> = Vec::new();
    for sentence in picture.panels.iter().map(|panel| of(panel.shows)) {
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    }
    PreEscaped(sentences.join(" "))
}

/// The sentences of a kind of panel, as HTML.
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
        Shows::SmoothedMedian(_) => {
            "The median of the squared error is on a logarithmic axis, as a moving average over ten steps, which the authors' \
             figures are too; lower is better."
        }
        Shows::Quantiles(_) => {
            "Squared errors are on a logarithmic axis: the line is the median, the band goes from the 10 % to the 90 % \
             quantile, both as moving averages over ten steps; lower is better."
        }
        Shows::MeanLog(_) | Shows::Together(Together::MeanLogs) => {
            "Lines are means of the logarithm of the squared error over all runs, bands one standard error to either side; \
             lower is better."
        }
        Shows::Cost(_) | Shows::Together(Together::Costs) => {
            "The relative labelling cost is the proportion of labels that gives the median squared error of so many \
             uniformly drawn ones; below 1 labels are saved."
        }
        Shows::Together(Together::Medians) => {
            "The median of the squared error is on a logarithmic axis, as a moving average over ten steps; lower is better."
        }
        Shows::Ablation(_) => {
            "Each cell has the median squared error over that of uniform sampling, averaged over the steps that the paper \
             averages over; lower, in blue, is better. More networks are more to the right, deeper ones are higher up."
        }
        Shows::Losses(_) => {
            "True losses ascend from left to right. The box is around those of the largest tenth of which a tenth or less is \
             expected: a proposal that follows what is expected hardly ever draws them. Losses below 0.00001 are drawn there."
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
