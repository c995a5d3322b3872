//! Accepts connections, as many as there may be at once.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
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
        Ok(Self { sockets, stopped: Arc::default() })
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
                while let Ok((stream, _)) = accepted(&socket) {
                    if stopped.load(Ordering::SeqCst) {
                        return;
                    }
                    admit(stream, &serve, &open);
                }
            };
            thread::Builder::new().name("page-accept".to_owned()).spawn(accept)?;
        }
        Ok(())
    }

    /// Stops to accept. Connections end with their requests.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        // A connection wakes the thread that waits for one.
        for socket in &self.sockets {
            if let Ok(address) = socket.local_addr() {
                let _ = TcpStream::connect_timeout(&address, Duration::from_millis(200));
            }
        }
    }
}

/// The next connection. A failure of one, or too many open files, does not end the server.
fn accepted(socket: &TcpListener) -> io::Result<(TcpStream, SocketAddr)> {
    let mut failures = 0;
    loop {
        match socket.accept() {
            Err(error) if failures == 1000 => return Err(error),
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
