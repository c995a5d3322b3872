//! Figure 5: true losses compared with what the model and an ensemble expect.

use labelwise_images::Set;

use super::{Asked, Figure, Jobs, Panel, Picture};
use crate::claims::Claim;
use crate::losses::Compared;
use crate::panel::Sorted;
use crate::recipe::{Family, published};
use crate::scale::Scale;
use crate::summary::ExperimentSummary;

/// A ResNet-18 on CIFAR-100.
pub(super) const FIGURE: Figure = Figure {
    name: "5",
    title: "true losses beside what the model and an ensemble expect",
    jobs: Jobs::Losses(compared),
    illustrated: None,
    scales: &Scale::ALL,
    pictures: &[Picture {
        file: "figure-5",
        caption: "A ResNet-18 on CIFAR-100; at scale published, a network that others trained. Items stand in the order of their true losses. Our default draws by the \
            root mean square of the loss by the ensemble.",
        counted: "items in the order of their true losses",
        columns: 2,
        panels: &[
            Panel { experiment: 0, title: "(a) true loss", shows: &Sorted::True },
            Panel { experiment: 0, title: "(b) predictive entropy", shows: &Sorted::Entropy },
            Panel { experiment: 0, title: "(c) ensemble of surrogates", shows: &Sorted::Ensemble },
            Panel { experiment: 0, title: "(d) labelwise's default", shows: &Sorted::RootMeanSquare },
        ],
    }],
    claims,
};

fn compared(asked: Asked) -> Compared {
    let name = "resnet-on-cifar-100";
    let members = match asked.scale {
        Scale::Smoke => 2,
        Scale::Laptop => 5,
        // Those of Figure 6.
        Scale::Desk => 10,
        Scale::Paper => 15,
        Scale::Published => {
            let (model, ensemble) = published(Set::Cifar100);
            return Compared { name: "published-on-cifar-100", model, ensemble };
        }
    };
    let model = asked.networks().residual(Set::Cifar100, Family::ResNet18);
    let ensemble = (1..=members).map(|seed| model.seeded(seed)).collect();
    Compared { name, model, ensemble }
}

/// Those of this figure are about items and not about runs.
fn claims(_: &[ExperimentSummary]) -> Vec<Option<Claim>> {
    Vec::new()
}
