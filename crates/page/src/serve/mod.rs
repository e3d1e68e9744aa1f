//! A server for one page, on this computer and for those who know its address.

mod http;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use http::{Request, Status, answer};

/// Time for a whole request, however it arrives.
const ASK: Duration = Duration::from_secs(5);
/// Time for a whole answer, however slowly it is taken.
const ANSWER: Duration = Duration::from_secs(60);
/// Pause between checks for a new connection and for Ctrl-C.
const PAUSE: Duration = Duration::from_millis(20);
/// Connections at once that have not asked yet, and answers at once.
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
    /// Connections that have not asked yet, the oldest first.
    asking: Mutex<VecDeque<(usize, TcpStream)>>,
    answers: AtomicUsize,
    patience: Duration,
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
        let (asking, answers) = (Mutex::default(), AtomicUsize::new(0));
        Ok(Server { listener, port, token, shown, asking, answers, patience: ASK })
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
        *held(&self.shown) = Shown { html: html.into(), version };
    }

    /// Answers until `stop` turns true.
    pub fn serve(&self, stop: &AtomicBool) {
        thread::scope(|scope| {
            let mut number = 0;
            while !stop.load(Ordering::SeqCst) {
                match self.listener.accept() {
                    Ok((stream, from)) if from.ip().is_loopback() => {
                        number += 1;
                        if self.admit(number, &stream).is_ok() {
                            scope.spawn(move || {
                                // Whoever asked has gone, or took too long: nobody to tell.
                                let _ = self.talk(number, stream);
                                self.asked(number);
                            });
                        }
                    }
                    Ok(_) => {}
                    Err(_) => thread::sleep(PAUSE),
                }
            }
            // Nobody is waited for.
            held(&self.asking).drain(..).for_each(|(_, stream)| end(&stream));
        });
    }

    /// Takes a connection; if too many have not asked yet, the one that has had the most time goes.
    fn admit(&self, number: usize, stream: &TcpStream) -> io::Result<()> {
        let handle = stream.try_clone()?;
        let mut asking = held(&self.asking);
        if asking.len() >= MOST
            && let Some((_, oldest)) = asking.pop_front()
        {
            end(&oldest);
        }
        asking.push_back((number, handle));
        Ok(())
    }

    /// A connection does not wait for its request any more.
    fn asked(&self, number: usize) {
        held(&self.asking).retain(|(n, _)| *n != number);
    }

    fn talk(&self, number: usize, stream: TcpStream) -> io::Result<()> {
        stream.set_nonblocking(false)?;
        let mut stream = Timed { stream, until: Instant::now() + self.patience };
        let request = Request::read(&mut stream)?;
        let resource = match &request {
            Some(request) => self.judge(request),
            None => Err(Status::BadRequest),
        };
        let resource = match resource {
            Ok(resource) => resource,
            Err(Status::BadRequest) => {
                return answer(&mut stream, Status::BadRequest, "text/plain", b"bad request\n");
            }
            Err(status) => return answer(&mut stream, status, "text/plain", b"not here\n"),
        };
        // From here on it is somebody who knows the token.
        self.asked(number);
        stream.until = Instant::now() + ANSWER;
        let others = self.answers.fetch_add(1, Ordering::SeqCst);
        let result = match others < MOST {
            true => self.send(resource, &mut stream),
            false => Ok(()),
        };
        self.answers.fetch_sub(1, Ordering::SeqCst);
        result
    }

    fn send(&self, resource: Resource, to: &mut Timed) -> io::Result<()> {
        let shown = held(&self.shown).clone();
        match resource {
            Resource::Page => answer(to, Status::Ok, "text/html", shown.html.as_bytes()),
            Resource::Version => {
                answer(to, Status::Ok, "text/plain", shown.version.to_string().as_bytes())
            }
        }
    }

    /// What a request gets. A page elsewhere that has made its own name mean this computer
    /// sends that name as host; it does not know the token either.
    fn judge(&self, request: &Request) -> Result<Resource, Status> {
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
            "" if request.path.ends_with('/') => Ok(Resource::Page),
            "version" => Ok(Resource::Version),
            _ => Err(Status::NotFound),
        }
    }
}

/// What can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Resource {
    Page,
    Version,
}

/// A connection that ends at a given time, also if bytes come or go one by one.
struct Timed {
    stream: TcpStream,
    until: Instant,
}

impl Timed {
    /// The time that is left.
    fn left(&self) -> io::Result<Option<Duration>> {
        match self.until.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Err(io::ErrorKind::TimedOut.into()),
            left => Ok(Some(left)),
        }
    }
}

impl Read for Timed {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(bytes)
    }
}

impl Write for Timed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Closes a connection; it may have gone already.
fn end(stream: &TcpStream) {
    let _ = stream.shutdown(Shutdown::Both);
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Compares in the same time whatever the letters are.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |d, (x, y)| d | (x ^ y)) == 0
}
