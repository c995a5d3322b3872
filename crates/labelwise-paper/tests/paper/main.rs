//! The paper's synthetic experiments: what is drawn, what a run records, what the runner keeps, what figures show.

#[cfg(test)]
mod data;
#[cfg(test)]
mod experiments;
#[cfg(test)]
mod figures;
#[cfg(test)]
mod files;
#[cfg(test)]
mod folder;
#[cfg(test)]
mod made;
#[cfg(test)]
mod pages;
#[cfg(test)]
mod runner;
#[cfg(test)]
mod toy;
