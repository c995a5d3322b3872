//! Accepts connections, as many as there may be at once.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::response::{Response, Status};

/// Maximum number of connections at once.
const MOST_CONNECTIONS: usize = 256;

/// The stack of a connection's thread. Estimates run on threads of their own.
const STACK: usize = 2 << 20;

/// Sockets that wait for connections.
#[derive(Debug)]
pub(crate) struct Listener {
    sockets: Vec<TcpListener>,
    stopped: Arc<AtomicBool>,
    /// One thread per socket. Each holds its socket open until it ends.
    threads: Mutex<Vec<JoinHandle<()>>>,
    open: Connections,
}

impl Listener {
    /// Binds a port; 0 is any free one. On loopback, both versions of IP are served where both exist, because browsers
    /// take either for `localhost`.
    pub(crate) fn bind(address: IpAddr, port: u16) -> io::Result<Self> {
        let first = TcpListener::bind(SocketAddr::new(address, port))?;
        let port = first.local_addr()?.port();
        let mut sockets = vec![first];
        if address == IpAddr::V4(Ipv4Addr::LOCALHOST) {
            sockets.extend(TcpListener::bind(SocketAddr::new(Ipv6Addr::LOCALHOST.into(), port)));
        }
        Ok(Self { sockets, stopped: Arc::default(), threads: Mutex::default(), open: Connections::default() })
    }

    pub(crate) fn port(&self) -> io::Result<u16> {
        self.sockets.first().map_or(Ok(0), |socket| Ok(socket.local_addr()?.port()))
    }

    /// Whether [`stop`](Self::stop) was called.
    pub(crate) fn stopped(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stopped)
    }

    /// Starts to accept.
    pub(crate) fn start(&self, serve: Arc<dyn Fn(TcpStream) + Send + Sync>) -> io::Result<()> {
        for socket in &self.sockets {
            let (socket, stopped) = (socket.try_clone()?, Arc::clone(&self.stopped));
            let (serve, open) = (Arc::clone(&serve), self.open.clone());
            let accept = move || {
                while let Ok((stream, _)) = accepted(&socket, &stopped) {
                    if stopped.load(Ordering::SeqCst) {
                        return;
                    }
                    admit(stream, &serve, &open);
                }
            };
            let thread = thread::Builder::new().name("page-accept".to_owned()).spawn(accept)?;
            self.threads.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        }
        Ok(())
    }

    /// Stops to accept, and waits until the threads have let their sockets go. An answer that is being written is written;
    /// no connection takes a further request.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        // A connection wakes the thread that waits for one.
        for socket in &self.sockets {
            if let Ok(mut address) = socket.local_addr() {
                match address.ip() {
                    IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
                    IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
                    _ => {}
                }
                let _ = TcpStream::connect_timeout(&address, Duration::from_millis(200));
            }
        }
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            let _ = thread.join();
        }
        self.open.end();
    }
}

/// The next connection. A failure of one, or too many open files, does not end the server.
fn accepted(socket: &TcpListener, stopped: &AtomicBool) -> io::Result<(TcpStream, SocketAddr)> {
    let mut failures = 0;
    loop {
        match socket.accept() {
            Err(error) if failures == 1000 || stopped.load(Ordering::SeqCst) => return Err(error),
            Err(_) => {
                failures += 1;
                thread::sleep(Duration::from_millis(50));
            }
            accepted => return accepted,
        }
    }
}

fn admit(mut stream: TcpStream, serve: &Arc<dyn Fn(TcpStream) + Send + Sync>, open: &Connections) {
    // Without a second handle, too many files are open already, and the connection is dropped.
    let Ok(handle) = stream.try_clone() else { return };
    let Some(place) = open.take(handle) else {
        let busy =
            Response::refuse(Status::Busy, "busy", "too many connections: close some tabs and try again");
        let _ = stream.set_write_timeout(Some(Duration::from_millis(100)));
        let _ = busy.write(&mut stream, false, true);
        return;
    };
    let serve = Arc::clone(serve);
    let work = move || {
        let _place = place;
        serve(stream);
    };
    // Without a thread, the closure and its place are dropped, and the connection with them.
    let _ = thread::Builder::new().name("page".to_owned()).stack_size(STACK).spawn(work);
}

/// The connections that are open.
#[derive(Debug, Clone, Default)]
struct Connections(Arc<Mutex<Open>>);

#[derive(Debug, Default)]
struct Open {
    streams: HashMap<u64, TcpStream>,
    next: u64,
}

impl Connections {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a connection; `None` if there are too many.
    fn take(&self, stream: TcpStream) -> Option<Place> {
        let mut open = self.open();
        if open.streams.len() >= MOST_CONNECTIONS {
            return None;
        }
        let number = open.next;
        open.next += 1;
        open.streams.insert(number, stream);
        Some(Place { number, of: self.clone() })
    }

    /// Nothing more is read from any of them.
    fn end(&self) {
        for stream in self.open().streams.values() {
            let _ = stream.shutdown(Shutdown::Read);
        }
    }
}

/// The place of one connection, free again when it is dropped, also by a thread that ends early.
struct Place {
    number: u64,
    of: Connections,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.of.open().streams.remove(&self.number);
    }
}
