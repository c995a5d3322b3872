//! Looks again and again.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once};
use std::time::Duration;

use labelwise_connect::Error as ConnectError;
use labelwise_connect::label_studio::{Round, Watch, opened, watch};

use super::Ready;
use super::text::{self, Documents};
use crate::error::Error;
use crate::output::print_json;
use crate::output::progress::Spinner;
use crate::output::screen::Screen;

/// Looks again and again. The progress line says how many labels there are.
pub(super) fn watched(
    mut ready: Ready,
    seconds: usize,
    json: bool,
    verb: &'static str,
    out: &mut Screen<impl Write>,
) -> Result<(), Error> {
    let stop = Arc::new(AtomicBool::new(false));
    // Without a handler, as in the first attempt, Ctrl-C ends the program at once; everything that was taken over is on disk all
    // the same.
    let listening = Once::new();
    let listen = || {
        let stopper = Arc::clone(&stop);
        listening.call_once(|| {
            let _ = ctrlc::set_handler(move || stopper.store(true, Ordering::Relaxed));
        });
    };
    let is_stopped = || stop.load(Ordering::Relaxed);
    let every = Duration::from_secs(seconds as u64);
    let spinner = (!json).then(|| Spinner::new("looking"));
    let mut warn = |error: &ConnectError, pause: Duration| {
        listen();
        text::above(&spinner, &format!("warning: {error}; next attempt in {} s", pause.as_secs()));
    };
    let Some(mut bridge) = opened(every, &is_stopped, &mut warn, &mut || ready.bridge())? else {
        return Ok(());
    };
    listen();
    let Ready { mut study, who, makes, .. } = ready;
    let how = Watch { every, refill: makes, who };
    let address = bridge.address();
    let mut failed = None;
    let mut last = None;
    let result = watch(&mut study, &mut bridge, &how, &is_stopped, &mut |study, round| {
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
                warn(error, *pause);
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
    });
    drop(spinner);
    result?;
    if let Some(error) = failed {
        return Err(error);
    }
    if !json {
        let documents = Documents { verb, address, study: &study };
        out.write_all(documents.next().as_bytes())?;
    }
    Ok(())
}
