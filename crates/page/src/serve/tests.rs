use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::Server;

fn port(server: &Server) -> String {
    server.address().split(':').nth(2).unwrap().split('/').next().unwrap().to_owned()
}

fn connect(server: &Server) -> TcpStream {
    TcpStream::connect(format!("127.0.0.1:{}", port(server))).unwrap()
}

/// Sends bytes to a running server and gives the whole answer.
fn ask(server: &Server, bytes: &str) -> String {
    let (port, mut stream) = (port(server), connect(server));
    stream.write_all(bytes.replace("PORT", &port).as_bytes()).unwrap();
    let mut text = String::new();
    // A refused connection may be reset after its answer.
    let _ = stream.read_to_string(&mut text);
    text
}

fn serving(job: impl FnOnce(&Server, &str)) {
    serving_with(Server::new().unwrap(), job);
}

fn serving_with(server: Server, job: impl FnOnce(&Server, &str)) {
    server.show("<!doctype html>the page".to_owned(), 7);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| server.serve(&stop));
        let token = server.version_path().trim_end_matches("/version").to_owned();
        // Also on a failed assertion the server has to end, or the test would hang.
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job(&server, &token)));
        stop.store(true, Ordering::SeqCst);
        if let Err(e) = done {
            std::panic::resume_unwind(e);
        }
    });
}

#[test]
fn it_gives_the_page_and_its_version_to_those_who_know() {
    serving(|server, token| {
        let page = ask(server, &format!("GET {token}/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n"));
        assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
        assert!(page.ends_with("\r\n\r\n<!doctype html>the page"), "{page}");
        assert!(page.contains("Cache-Control: no-store\r\n"));
        let line = format!("GET {token}/version HTTP/1.1\r\nhost: localhost:PORT\r\n\r\n");
        assert!(ask(server, &line).ends_with("\r\n\r\n7"));
        assert!(server.address().starts_with("http://127.0.0.1:"));
        assert_eq!(token.len(), 33);
    });
}

#[test]
fn everyone_else_gets_nothing() {
    serving(|server, token| {
        let cases = [
            ("no token", "GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", "403"),
            (
                "wrong token",
                "GET /00112233445566778899aabbccddeeff/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n",
                "403",
            ),
            ("part of the token", "GET TOKEX/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", "403"),
            ("another host", "GET TOKEN/ HTTP/1.1\r\nHost: evil.example:PORT\r\n\r\n", "403"),
            ("another port", "GET TOKEN/ HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n", "403"),
            ("no host", "GET TOKEN/ HTTP/1.1\r\n\r\n", "403"),
            (
                "two hosts",
                "GET TOKEN/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nHost: evil.example\r\n\r\n",
                "403",
            ),
            (
                "another site",
                "GET TOKEN/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nSec-Fetch-Site: cross-site\r\n\r\n",
                "403",
            ),
            (
                "a path outside",
                "GET TOKEN/../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n",
                "404",
            ),
            (
                "the same, hidden",
                "GET TOKEN/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n",
                "404",
            ),
            (
                "outside without token",
                "GET /../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n",
                "403",
            ),
            (
                "a missing page",
                "GET TOKEN/favicon.ico HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n",
                "404",
            ),
            ("another method", "POST TOKEN/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", "405"),
            ("no request", "hello\r\n\r\n", "400"),
            (
                "a whole address",
                "GET http://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n",
                "400",
            ),
        ];
        for (what, bytes, status) in cases {
            let bytes = bytes.replace("TOKEN", token).replace("TOKEX", &token[..32]);
            let answer = ask(server, &bytes);
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{what}: {answer}");
            assert!(!answer.contains("the page"), "{what}: {answer}");
        }
    });
}

#[test]
fn a_request_without_end_is_cut_off() {
    serving(|server, token| {
        let line = format!("GET {token}/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nX: ");
        let answer = ask(server, &(line + &"a".repeat(40_000)));
        assert!(!answer.contains("the page"), "{answer}");
    });
}

#[test]
fn slow_clients_keep_nobody_out() {
    serving(|server, token| {
        let slow: Vec<TcpStream> = (0..100)
            .map(|i| {
                let mut stream = connect(server);
                // Some of them ask for half of the page.
                let _ = stream.write_all(&b"GET / HT"[..i % 9]);
                stream
            })
            .collect();
        for _ in 0..20 {
            let page = format!("GET {token}/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n");
            let answer = ask(server, &page);
            assert!(answer.ends_with("the page"), "{answer}");
        }
        drop(slow);
    });
}

#[test]
fn a_request_byte_by_byte_is_cut_off() {
    let mut server = Server::new().unwrap();
    server.patience = Duration::from_millis(200);
    serving_with(server, |server, token| {
        let mut stream = connect(server);
        stream.write_all(format!("GET {token}/ HTTP/1.1\r\nX: ").as_bytes()).unwrap();
        // Many times as long as it may take.
        let cut_off = (0..1000).any(|_| {
            thread::sleep(Duration::from_millis(10));
            stream.write_all(b"a").is_err()
        });
        assert!(cut_off);
    });
}

#[test]
fn tokens_differ() {
    let [a, b] = [(); 2].map(|()| Server::new().unwrap().version_path());
    assert_ne!(a, b);
}
