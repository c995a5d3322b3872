//! Accepts connections, as many as there may be at once.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
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
        Ok(Self { sockets, stopped: Arc::default(), threads: Mutex::default() })
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
        let open = Arc::new(AtomicUsize::new(0));
        for socket in &self.sockets {
            let (socket, stopped) = (socket.try_clone()?, Arc::clone(&self.stopped));
            let (serve, open) = (Arc::clone(&serve), Arc::clone(&open));
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

    /// Stops to accept, and waits until the threads have let their sockets go. Connections end with their requests.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        // A connection wakes the thread that waits for one.
        for socket in &self.sockets {
            if let Ok(mut address) = socket.local_addr() {
                if address.ip().is_unspecified() {
                    address.set_ip(Ipv4Addr::LOCALHOST.into());
                }
                let _ = TcpStream::connect_timeout(&address, Duration::from_millis(200));
            }
        }
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            let _ = thread.join();
        }
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

fn admit(mut stream: TcpStream, serve: &Arc<dyn Fn(TcpStream) + Send + Sync>, open: &Arc<AtomicUsize>) {
    let busy = Response::refuse(Status::Busy, "busy", "too many connections: close some tabs and try again");
    if open.fetch_add(1, Ordering::SeqCst) >= MOST_CONNECTIONS {
        open.fetch_sub(1, Ordering::SeqCst);
        let _ = stream.set_write_timeout(Some(Duration::from_millis(100)));
        let _ = busy.write(&mut stream, false, true);
        return;
    }
    let (serve, slot) = (Arc::clone(serve), Slot(Arc::clone(open)));
    let work = move || {
        let _slot = slot;
        serve(stream);
    };
    // Without a thread, the closure and its slot are dropped, and the connection with them.
    let _ = thread::Builder::new().name("page".to_owned()).stack_size(STACK).spawn(work);
}

/// The place of one connection, free again when it is dropped, also by a thread that ends early.
struct Slot(Arc<AtomicUsize>);

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
