//! Opens the page: the desk, the secrets, the sockets.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use labelwise_study::{Author, now};

use crate::desk::{Desk, Rules, SharedStudy};
use crate::error::Error;
use crate::guard::Guard;
use crate::http::{Listener, serve};
use crate::media::Media;
use crate::routes::{About, App};
use crate::sessions::{Role, Sessions, valid_name};

/// The port if nobody names one. Browsers keep unsaved answers by port, so it should stay the same.
const USUAL_PORT: u16 = 8931;

/// Shortest token of a file, in characters.
const SHORTEST_TOKEN: usize = 32;

/// How the page is opened.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The port; 0 for any free one, `None` for 8931 or any free one.
    pub port: Option<u16>,
    /// The address to listen at; `None` for this machine alone.
    pub listen: Option<IpAddr>,
    /// Further addresses, as `host:port`, that browsers may name.
    pub allow_hosts: Vec<String>,
    /// A token that labellers can use again and again.
    pub token: Option<String>,
    /// The name of the owner; the page asks for it if there is none.
    pub who: Option<String>,
    /// Names of labellers who get an address of their own.
    pub invite: Vec<String>,
    /// The folder of images and audio.
    pub media: Option<PathBuf>,
    /// The instructions of the labellers: the name of the file, and its text.
    pub guide: Option<(String, String)>,
    /// How items are given out.
    pub rules: Rules,
    /// The name of the evaluation on the page.
    pub title: String,
    /// The command that starts the page again, without the port.
    pub command: String,
}

/// An open labelling page.
pub struct Page {
    app: Arc<App>,
    listener: Listener,
    address: String,
    invitations: Vec<(String, String)>,
    ended: Arc<(Mutex<bool>, Condvar)>,
}

impl std::fmt::Debug for Page {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Page").field("at", &self.app.about.address).finish_non_exhaustive()
    }
}

/// What was done while the page was open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Items with an answer.
    pub answered: usize,
    /// Labels among them.
    pub labels: usize,
    /// Items that were asked and wait for an answer.
    pub waiting: usize,
    /// Items to ask in all.
    pub goal: usize,
}

impl Page {
    /// Opens the page of a study.
    pub fn open(study: SharedStudy, options: &Options) -> Result<Self, Error> {
        let Options { listen, token, .. } = options;
        let listen = listen.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
        match token {
            None if !listen.is_loopback() => {
                return Err(Error::NoTokenFile { address: listen.to_string() });
            }
            Some(token) if token.chars().count() < SHORTEST_TOKEN => {
                return Err(Error::ShortToken { characters: token.chars().count() });
            }
            _ => {}
        }
        let names = options.who.iter().chain(&options.invite);
        for name in names {
            valid_name(name).ok_or_else(|| Error::Name { name: name.clone() })?;
        }
        let media = options.media.as_deref().map(Media::open).transpose()?;
        let listener = bind(listen, options.port)?;
        if let Some((name, text)) = &options.guide {
            let by = Author { who: options.who.clone().unwrap_or_default(), at: now(), key: None };
            study.lock().unwrap_or_else(PoisonError::into_inner).record_guide(name, text, &by)?;
        }
        let evaluation = {
            let kept = study.lock().unwrap_or_else(PoisonError::into_inner);
            let settings = kept.settings();
            format!("{}-{}-{}", settings.pool.fingerprint, settings.created, settings.seed)
        };
        let desk = Desk::new(study, options.rules.clone(), media.is_some())?;
        let port = listener.port().map_err(|source| Error::Listen { address: listen.to_string(), source })?;
        // Labellers on other machines come by the first name that the owner allows.
        let host = options.allow_hosts.first().cloned().unwrap_or_else(|| format!("127.0.0.1:{port}"));
        let about = About {
            title: options.title.clone(),
            // Unsaved answers are kept by the browser for this port.
            command: match options.command.as_str() {
                "" => String::new(),
                command if port == USUAL_PORT => command.to_owned(),
                command => format!("{command} --port {port}"),
            },
            evaluation,
            address: format!("http://{host}/"),
        };
        let sessions = Sessions::new(port, token.clone());
        let owner = sessions.invite(Role::Owner, options.who.clone())?;
        let address = format!("http://127.0.0.1:{port}/#{owner}");
        let invitation = |name: &String| {
            let token = sessions.invite(Role::Labeller, Some(name.clone()))?;
            Ok((name.clone(), format!("{}#{token}", about.address)))
        };
        let invitations = options.invite.iter().map(invitation).collect::<Result<_, Error>>()?;
        let guard = Guard::new(port, &options.allow_hosts);
        let app = Arc::new(App { desk, sessions, guard, media, about, stopped: listener.stopped() });
        let served = Arc::clone(&app);
        let work = move |stream: TcpStream| serve(stream, &|request| served.answer(request));
        listener
            .start(Arc::new(work))
            .map_err(|source| Error::Listen { address: listen.to_string(), source })?;
        Ok(Self { app, listener, address, invitations, ended: Arc::default() })
    }

    /// The address with the owner's token, which works once.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Columns that labellers do not see, because they tell what a judge or a model says.
    pub fn hidden(&self) -> Vec<String> {
        self.app.desk.hidden()
    }

    /// Names and addresses of invited labellers, each for one browser.
    pub fn invitations(&self) -> &[(String, String)] {
        &self.invitations
    }

    /// What was done so far.
    pub fn summary(&self) -> Summary {
        let progress = self.app.desk.progress("");
        let waiting = self.app.desk.study().counts().waiting;
        Summary { answered: progress.answered, labels: progress.labels, waiting, goal: progress.goal }
    }

    /// Waits until the page is closed, at most for a time. Returns whether it is closed.
    pub fn wait(&self, most: Duration) -> bool {
        let (ended, changed) = &*self.ended;
        let guard = ended.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = changed.wait_timeout_while(guard, most, |ended| !*ended);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Closes the page. Answers that are being recorded are recorded.
    pub fn close(&self) {
        self.listener.stop();
        self.app.stopped.store(true, Ordering::SeqCst);
        self.app.desk.wake();
        // An answer holds the study until it is on disk.
        drop(self.app.desk.study());
        *self.ended.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.ended.1.notify_all();
    }

    /// A handle that closes the page from another thread.
    pub fn closer(self: &Arc<Self>) -> impl Fn() + Send + Sync + 'static {
        let page = Arc::clone(self);
        move || page.close()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.close();
    }
}

/// The port that was named, or the usual one, or any free one. A server that has just ended may hold its port a moment longer.
fn bind(listen: IpAddr, port: Option<u16>) -> Result<Listener, Error> {
    let deadline = Instant::now() + Duration::from_millis(500);
    loop {
        match Listener::bind(listen, port.unwrap_or(USUAL_PORT)) {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == ErrorKind::AddrInUse => match port {
                Some(_) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(25)),
                Some(port) => return Err(Error::PortTaken { port }),
                None => {
                    return Listener::bind(listen, 0)
                        .map_err(|source| Error::Listen { address: listen.to_string(), source });
                }
            },
            Err(source) => return Err(Error::Listen { address: listen.to_string(), source }),
        }
    }
}
