//! Clients that are slow, or too many: nobody else waits for them.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::client::{Client, Pets, options, parts, read};

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
    let start = Instant::now();
    assert_eq!(ada.get("/api/state").status, 200);
    assert!(start.elapsed() < Duration::from_secs(2));
    // More than there may be: the rest is sent away, not kept waiting.
    let many: Vec<TcpStream> =
        (0..300).filter_map(|_| TcpStream::connect(("127.0.0.1", ada.port)).ok()).collect();
    let mut last = TcpStream::connect(("127.0.0.1", ada.port)).unwrap();
    last.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    assert_eq!(read(&mut last).status, 503);
    drop((slow, many));
    // Places are free again as soon as the connections end.
    let deadline = Instant::now() + Duration::from_secs(5);
    while ada.get("/api/state").status != 200 {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_request_that_never_ends_is_cut_off() {
    let pets = Pets::new();
    let page = pets.open(&options());
    let (port, _) = parts(page.address());
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut writer = stream.try_clone().unwrap();
    let trickle = std::thread::spawn(move || {
        for _ in 0..40 {
            if writer.write_all(b"X").is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(500));
        }
    });
    let start = Instant::now();
    assert_eq!(read(&mut stream).status, 408);
    assert!(start.elapsed() < Duration::from_secs(15));
    drop(stream);
    trickle.join().unwrap();
}
