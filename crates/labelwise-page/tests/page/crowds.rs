//! Connections that are slow, too many, or older than the page: nobody else waits for them.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::client::{Client, PATIENCE, Pets, events, options, parts, read};

/// Whether the server still holds a connection: nothing was sent, and it is open.
fn is_held(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    stream.peek(&mut [0]).is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
}

#[test]
fn slow_and_many_clients_do_not_keep_others_out() {
    let pets = Pets::new();
    let page = pets.open(&options());
    let ada = Client::enter(page.address());
    let slow: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = TcpStream::connect(("127.0.0.1", ada.port)).unwrap();
            stream.write_all(b"POST /api/labels HTTP/1.1\r\nHost: ").unwrap();
            stream
        })
        .collect();
    assert_eq!(ada.get("/api/state").status, 200);
    assert!(slow.iter().any(is_held), "she got her answer while others kept the server waiting");
    // More than there may be: the rest is sent away, not kept waiting.
    let many: Vec<TcpStream> =
        (0..300).filter_map(|_| TcpStream::connect(("127.0.0.1", ada.port)).ok()).collect();
    let mut last = TcpStream::connect(("127.0.0.1", ada.port)).unwrap();
    last.set_read_timeout(Some(PATIENCE)).unwrap();
    assert_eq!(read(&mut last).status, 503);
    drop((slow, many));
    // Places are free again as soon as the connections end.
    let deadline = Instant::now() + PATIENCE;
    while ada.get("/api/state").status != 200 {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A client that goes on sending is cut off, whatever part of the request it is in.
#[test]
fn requests_that_never_end_are_cut_off() {
    let pets = Pets::new();
    let page = pets.open(&options());
    let (port, _) = parts(page.address());
    let body =
        format!("POST /api/session HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 60000\r\n\r\n");
    let clients = ["", body.as_str()].map(|start| {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(start.as_bytes()).unwrap();
        let mut writer = stream.try_clone().unwrap();
        // It goes on until the server has hung up.
        let trickle = std::thread::spawn(move || {
            while writer.write_all(b"X").is_ok() {
                std::thread::sleep(Duration::from_millis(200));
            }
        });
        (stream, trickle)
    });
    for (mut stream, trickle) in clients {
        assert_eq!(read(&mut stream).status, 408);
        drop(stream);
        trickle.join().unwrap();
    }
}

/// A browser keeps connections open. After the page was closed, they must not reach it either.
#[test]
fn a_closed_page_takes_nothing_over_open_connections() {
    let pets = Pets::new();
    let page = pets.open(&options());
    let ada = Client::enter(page.address());
    let item = ada.next(1).remove(0);
    let mut stream = TcpStream::connect(("127.0.0.1", ada.port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let host = format!("Host: 127.0.0.1:{}\r\nCookie: {}\r\n", ada.port, ada.cookie);
    stream.write_all(format!("GET /api/state HTTP/1.1\r\n{host}\r\n").as_bytes()).unwrap();
    assert_eq!(read(&mut stream).status, 200);
    page.close();
    let body = format!("{{\"item\":\"{item}\",\"label\":\"cat\",\"key\":\"late\"}}");
    let own = format!("Origin: http://127.0.0.1:{}\r\nContent-Type: application/json\r\n", ada.port);
    let request =
        format!("POST /api/labels HTTP/1.1\r\n{host}{own}Content-Length: {}\r\n\r\n{body}", body.len());
    let _ = stream.write_all(request.as_bytes());
    assert_ne!(read(&mut stream).status, 200);
    assert_eq!(events(&pets.path()).len(), 0);
}
