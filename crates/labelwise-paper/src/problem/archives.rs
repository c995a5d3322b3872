//! A trained network on random test sets, with surrogates that were trained before: Figures 5 to 8, A.2, A.4 and A.5.
//! Everything that is predicted comes from archives, so that a run trains nothing.

use std::ops::RangeInclusive;

use labelwise::acquisition::{Acquisition, Candidates, MutualInformation};
use labelwise::surrogate::Beliefs;
use labelwise::{Classification, CrossEntropy, Error as CoreError, Matrix, Pool, Seed};

use super::images::{Scored, Surrogates, TestSet};
use super::spend::spend;
use super::subset::{picked, rows, test_set};
use super::{Experiment, LOSS_VARIANCE, Settings, Trace};
use crate::error::{Error, Result};
use crate::recipe::Recipe;
use crate::strategy::{Column, Proposal, Strategy};
use crate::workshop::{Shelf, Workshop};

/// A network on random test sets, all strategies of the figure.
#[derive(Debug, Clone)]
pub struct FromArchives {
    /// A short name.
    pub name: &'static str,
    /// What is estimated.
    pub scored: Scored,
    /// How many items a test set has at most.
    pub pool_size: usize,
    /// How many labels are acquired.
    pub steps: usize,
    /// The steps by which strategies are compared pair by pair, from 1.
    pub judged: RangeInclusive<usize>,
    /// How q is kept from zero, and how test sets are drawn.
    pub settings: Settings,
    /// The networks under test. The n-th run has the n-th of them, and the first again after the last.
    pub models: Vec<Recipe>,
    /// Ensembles of networks that serve as surrogates. They say something of the same items as the models do.
    pub ensembles: Vec<Vec<Recipe>>,
    /// What is spent on each test set.
    pub strategies: Vec<Strategy>,
    /// What the networks predict, once they are there.
    predictions: Vec<Predictions>,
}

/// What is known of the items of an archive.
#[derive(Debug, Clone)]
struct Predictions {
    labels: Vec<u8>,
    model: Matrix,
    ensembles: Vec<Matrix>,
    /// Mutual information, where a strategy draws by it.
    information: Option<Vec<f64>>,
}

impl FromArchives {
    /// An experiment whose networks are not there yet.
    pub fn new(name: &'static str, settings: Settings, models: Vec<Recipe>) -> Self {
        Self {
            name,
            scored: Scored::default(),
            pool_size: 1000,
            steps: 500,
            judged: 500..=500,
            settings,
            models,
            ensembles: Vec::new(),
            strategies: Vec::new(),
            predictions: Vec::new(),
        }
    }

    fn loaded(&self, model: &Recipe, shelf: &Shelf<'_>) -> Result<Predictions> {
        let under_test = shelf.archive(model)?;
        // No set has more than 256 classes.
        let labels: Vec<u8> = under_test.labels().iter().map(|&label| label as u8).collect();
        let mut ensembles = Vec::with_capacity(self.ensembles.len());
        for ensemble in &self.ensembles {
            let members = ensemble
                .iter()
                .map(|recipe| shelf.beside(recipe, &under_test))
                .collect::<Result<Vec<_>>>()?;
            ensembles.push(mean(&members)?);
        }
        let wanted = self.strategies.iter().any(|strategy| strategy.proposal == Proposal::MutualInformation);
        let information = if wanted { Some(information(under_test.members())?) } else { None };
        Ok(Predictions { labels, model: under_test.mean().clone(), ensembles, information })
    }

    fn predictions(&self, n: u64) -> Result<&Predictions> {
        let place = usize::try_from(n).unwrap_or(0) % self.predictions.len().max(1);
        self.predictions.get(place).ok_or(Error::NotPrepared { experiment: self.name })
    }
}

/// The mean of tables of the same shape.
fn mean(tables: &[Matrix]) -> Result<Matrix> {
    let first = tables.first().ok_or(CoreError::NoMembers)?;
    let pool = Pool::classification(first.clone())?;
    Ok(Beliefs::<Classification>::from_members(tables.to_vec(), &pool)?.rows().clone())
}

/// The mutual information of each item, by the core's own function.
fn information(members: &[Matrix]) -> Result<Vec<f64>> {
    let first = members.first().ok_or(CoreError::NoMembers)?;
    let pool = Pool::classification(first.clone())?;
    let beliefs = Beliefs::<Classification>::from_members(members.to_vec(), &pool)?;
    Ok(MutualInformation.scores(Candidates {
        pool: &pool,
        loss: &CrossEntropy::default(),
        beliefs: &beliefs,
        first: &[],
        second: Vec::new(),
        open: &vec![true; first.rows()],
        observed: &[],
    })?)
}

/// The rows of ensembles that are in a test set.
struct Ensembles<'a> {
    tables: &'a [Matrix],
    items: &'a [usize],
}

impl Surrogates for Ensembles<'_> {
    fn ensemble(&self, place: usize) -> labelwise::Result<Option<Matrix>> {
        self.tables.get(place).map(|table| rows(table, self.items)).transpose()
    }
}

impl Experiment for FromArchives {
    fn name(&self) -> &'static str {
        self.name
    }

    fn pool_size(&self) -> usize {
        self.pool_size
    }

    fn columns(&self) -> Vec<Column> {
        self.strategies.iter().map(|strategy| strategy.estimates(self.steps)).collect()
    }

    fn judged(&self) -> RangeInclusive<usize> {
        self.judged.clone()
    }

    fn recipes(&self) -> Vec<Recipe> {
        let ensembles = self.ensembles.iter().flatten();
        self.models.iter().chain(ensembles).cloned().collect()
    }

    fn prepare(&mut self, workshop: &Workshop<'_>) -> Result<()> {
        let shelf = workshop.shelf(&self.recipes())?;
        let loaded = self.models.iter().map(|model| self.loaded(model, &shelf));
        self.predictions = loaded.collect::<Result<_>>()?;
        Ok(())
    }

    fn nth(&self, n: u64, seed: Seed) -> Result<Trace> {
        let Predictions { labels, model, ensembles, information } = self.predictions(n)?;
        let items = test_set(labels, self.pool_size, self.settings, seed)?;
        let pool = Pool::classification(rows(model, &items)?)?;
        let labels: Vec<usize> = picked(labels, &items).into_iter().map(usize::from).collect();
        let pool_risk = pool.risk(&*self.scored.loss(), &labels)?;
        let surrogates = &Ensembles { tables: ensembles, items: &items };
        let (scored, settings) = (self.scored, self.settings);
        let information = information.as_deref().map(|scores| picked(scores, &items));
        let problem =
            TestSet { pool: &pool, labels: &labels, scored, settings, seed, surrogates, information };
        let values = spend(&problem, &self.strategies, self.steps)?;
        let recorded = vec![(LOSS_VARIANCE.to_owned(), problem.loss_variance())];
        Ok(Trace { pool_risk, values, recorded })
    }

    fn run(&self, seed: Seed) -> Result<Trace> {
        self.nth(0, seed)
    }
}
