//! Looks again and again.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use labelwise_connect::label_studio::{Round, Watch, watch};

use super::Open;
use super::text::{self, Documents};
use crate::error::Error;
use crate::output::print_json;
use crate::output::progress::Spinner;
use crate::output::screen::Screen;

/// Looks again and again. The progress line says how many labels there are.
pub(super) fn watched(
    mut open: Open,
    seconds: usize,
    refill: bool,
    json: bool,
    verb: &'static str,
    out: &mut Screen<impl Write>,
) -> Result<(), Error> {
    let stop = Arc::new(AtomicBool::new(false));
    let stopper = Arc::clone(&stop);
    // Without a handler, Ctrl-C ends the program at once; everything that was taken over is on disk all the same.
    let _ = ctrlc::set_handler(move || stopper.store(true, Ordering::Relaxed));
    let how = Watch { every: Duration::from_secs(seconds as u64), refill, who: open.who.clone() };
    let address = open.bridge.address();
    let spinner = (!json).then(|| Spinner::new("looking"));
    let mut failed = None;
    let mut last = None;
    let result = watch(
        &mut open.study,
        &mut open.bridge,
        &how,
        &|| stop.load(Ordering::Relaxed),
        &mut |study, round| {
            let documents = Documents { verb, address: address.clone(), study };
            let shown = match &round {
                Round::Seen { pulled, pushed } => {
                    if let Some(spinner) = &spinner {
                        spinner.says(&text::progress(pulled, pushed.as_ref()));
                    }
                    let changed = text::has_news(pulled, pushed.as_ref());
                    let shown = match (json, changed || last.is_none()) {
                        (_, false) => Ok(()),
                        (true, true) => print_json(&documents.of(Some(pulled), pushed.as_ref()), out),
                        (false, true) => text::said_round(pulled, pushed.as_ref(), &address, &spinner, out),
                    };
                    last = Some(pulled.clone());
                    shown
                }
                Round::Trouble { error, pause } => {
                    let words = format!("{error}; next attempt in {} s", pause.as_secs());
                    text::above(&spinner, &format!("warning: {words}"));
                    Ok(())
                }
                _ => Ok(()),
            };
            // The watch ends when nobody can read what it says.
            if let Err(error) = shown.and_then(|()| out.flush().map_err(Error::from)) {
                failed = Some(error);
                stop.store(true, Ordering::Relaxed);
            }
            Ok(())
        },
    );
    drop(spinner);
    result?;
    if let Some(error) = failed {
        return Err(error);
    }
    if !json {
        let documents = Documents { verb, address, study: &open.study };
        out.write_all(documents.next().as_bytes())?;
    }
    Ok(())
}
