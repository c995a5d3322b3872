//! Draws items on a thread with a handle of its own: a new proposal for a large pool takes seconds, and answers do not wait
//! for it.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;

use labelwise_study::{Author, Study, now};

use super::Desk;
use crate::error::Error;

/// Items for a person.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) who: String,
    pub(super) count: usize,
}

/// The thread that draws.
#[derive(Debug)]
pub(super) struct Drawer {
    orders: Sender<Order>,
    /// What the thread starts with.
    start: Mutex<Option<(Study, Receiver<Order>)>>,
}

impl Drawer {
    /// Opens the evaluation a second time.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let (orders, received) = channel();
        Ok(Self { orders, start: Mutex::new(Some((Study::open(path)?, received))) })
    }

    /// Starts the thread, which ends with the desk.
    pub(super) fn start(&self, desk: &Arc<Desk>) -> Result<(), Error> {
        let start = self.start.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((mut study, orders)) = start else { return Ok(()) };
        let desk = Arc::downgrade(desk);
        let work = move || {
            while let Ok(order) = orders.recv() {
                let drawn = draw(&mut study, &order);
                if !report(&desk, &order, drawn.err()) {
                    return;
                }
            }
        };
        thread::Builder::new()
            .name("page-draw".to_owned())
            .spawn(work)
            .map(|_| ())
            .map_err(|source| Error::Thread { source })
    }

    pub(super) fn order(&self, order: Order) {
        // Without a thread the server is ending.
        let _ = self.orders.send(order);
    }
}

/// Draws items for a person. Nothing left to draw is not an error.
pub(super) fn draw(study: &mut Study, order: &Order) -> Result<(), Error> {
    study.reload()?;
    if study.left() == 0 {
        return Ok(());
    }
    let by = Author { who: order.who.clone(), at: now(), key: None };
    study.ask_up_to(order.count, &by)?;
    Ok(())
}

/// Tells the desk; `false` if it is gone.
fn report(desk: &Weak<Desk>, order: &Order, trouble: Option<Error>) -> bool {
    let Some(desk) = desk.upgrade() else { return false };
    desk.drawn(order, trouble);
    true
}
