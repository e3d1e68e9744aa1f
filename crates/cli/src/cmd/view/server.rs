//! A server for one page, on this computer and for those who know its address.

use std::fmt::Write;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::http::{Request, Status, answer};

/// Whoever takes longer to ask or to listen is left.
const PATIENCE: Duration = Duration::from_secs(10);
/// Between looks for a new connection and for Ctrl-C.
const PAUSE: Duration = Duration::from_millis(20);
/// Connections at once.
const MOST: usize = 16;

/// What is served now.
#[derive(Clone)]
struct Shown {
    html: Arc<str>,
    version: u64,
}

/// A page at a random port of the loopback address, behind a random word.
pub struct Server {
    listener: TcpListener,
    port: u16,
    token: String,
    shown: Mutex<Shown>,
}

impl Server {
    /// Takes a port.
    pub fn new() -> io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let mut bytes = [0_u8; 16];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        let mut token = String::with_capacity(32);
        for b in bytes {
            // Writing to a string cannot fail.
            let _ = write!(token, "{b:02x}");
        }
        let shown = Mutex::new(Shown { html: "".into(), version: 0 });
        Ok(Server { listener, port, token, shown })
    }

    /// Where the page is.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// Where its version is.
    pub fn version_path(&self) -> String {
        format!("/{}/version", self.token)
    }

    /// Shows another page from now on.
    pub fn show(&self, html: String, version: u64) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        *shown = Shown { html: html.into(), version };
    }

    /// Answers until `stop` turns true.
    pub fn serve(&self, stop: &AtomicBool) {
        let busy = AtomicUsize::new(0);
        thread::scope(|scope| {
            while !stop.load(Ordering::SeqCst) {
                match self.listener.accept() {
                    Ok((stream, from)) if from.ip().is_loopback() => {
                        if busy.fetch_add(1, Ordering::SeqCst) >= MOST {
                            busy.fetch_sub(1, Ordering::SeqCst);
                            continue;
                        }
                        let busy = &busy;
                        scope.spawn(move || {
                            // Whoever asked has gone, or took too long: nobody to tell.
                            let _ = self.talk(stream);
                            busy.fetch_sub(1, Ordering::SeqCst);
                        });
                    }
                    Ok(_) => {}
                    Err(_) => thread::sleep(PAUSE),
                }
            }
        });
    }

    fn talk(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let Some(request) = Request::read(&mut stream)? else {
            return answer(&mut stream, Status::BadRequest, "text/plain", b"bad request\n");
        };
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match self.judge(&request) {
            Ok(Wanted::Page) => answer(&mut stream, Status::Ok, "text/html", shown.html.as_bytes()),
            Ok(Wanted::Version) => {
                let version = shown.version.to_string();
                answer(&mut stream, Status::Ok, "text/plain", version.as_bytes())
            }
            Err(status) => answer(&mut stream, status, "text/plain", b"not here\n"),
        }
    }

    /// What a request may have. A page elsewhere that has made its own name mean this computer
    /// sends that name as host; it does not know the token either.
    pub(super) fn judge(&self, request: &Request) -> Result<Wanted, Status> {
        let hosts = [format!("127.0.0.1:{}", self.port), format!("localhost:{}", self.port)];
        let known = request.host.as_ref().is_some_and(|h| hosts.contains(h));
        if !known || request.foreign {
            return Err(Status::Forbidden);
        }
        if request.method != "GET" {
            return Err(Status::NotAllowed);
        }
        let (token, rest) = request.path[1..].split_once('/').unwrap_or((&request.path[1..], ""));
        if !same(token.as_bytes(), self.token.as_bytes()) {
            return Err(Status::Forbidden);
        }
        match rest {
            "" if request.path.ends_with('/') => Ok(Wanted::Page),
            "version" => Ok(Wanted::Version),
            _ => Err(Status::NotFound),
        }
    }
}

/// What there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Page,
    Version,
}

/// Compares in the same time whatever the letters are.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |d, (x, y)| d | (x ^ y)) == 0
}
