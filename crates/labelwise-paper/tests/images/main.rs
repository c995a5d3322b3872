//! The paper's experiments on images, with digits and light learners in the place of large sets and networks.

#[cfg(test)]
mod archives;
#[cfg(test)]
mod committed;
#[cfg(test)]
mod digits;
#[cfg(test)]
mod figures;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod made;
#[cfg(feature = "deep")]
#[cfg(test)]
mod networks;
#[cfg(test)]
mod pools;
#[cfg(test)]
mod published;
#[cfg(test)]
mod retraining;
#[cfg(test)]
mod scales;
