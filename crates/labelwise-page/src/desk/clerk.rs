//! One thread that reads and writes the study for everybody.
//!
//! Answers are taken one after the other in any case. On threads of connections, each would leave pages of the file in the
//! memory of its own thread, which the system's allocator keeps: megabytes for every connection.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use crate::error::Error;

type Job = Box<dyn FnOnce() + Send>;

/// The thread, which ends with its desk.
#[derive(Debug)]
pub(super) struct Clerk {
    jobs: Mutex<Sender<Job>>,
}

impl Clerk {
    /// Starts the thread.
    pub(super) fn start() -> Result<Self, Error> {
        let (jobs, received) = channel::<Job>();
        let work = move || received.into_iter().for_each(|job| job());
        thread::Builder::new()
            .name("page-study".to_owned())
            .spawn(work)
            .map_err(|source| Error::Thread { source })?;
        Ok(Self { jobs: Mutex::new(jobs) })
    }

    /// Does something on the thread, and waits for what it gives.
    pub(super) fn have<R: Send + 'static>(
        &self,
        job: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, Error> {
        let (give, given) = channel();
        let job: Job = Box::new(move || {
            // Whoever asked waits.
            let _ = give.send(job());
        });
        let sent = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).send(job);
        sent.ok().and_then(|()| given.recv().ok()).ok_or(Error::Stopped)
    }
}
