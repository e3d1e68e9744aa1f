//! As much of HTTP as a page needs: one request a connection, no bodies.

use std::io::{self, Read, Write};

/// Requests are not longer than this; a browser's have some hundred bytes.
const LONGEST: usize = 16 * 1024;

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Such as `GET`.
    pub method: String,
    /// As it was sent, `/` at its start.
    pub path: String,
    /// The header `Host`; nothing if there is none or more than one.
    pub host: Option<String>,
    /// Whether a browser says that another site asks.
    pub foreign: bool,
}

/// The start of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Ok,
    BadRequest,
    Forbidden,
    NotFound,
    NotAllowed,
}

impl Status {
    fn line(self) -> &'static str {
        match self {
            Status::Ok => "200 OK",
            Status::BadRequest => "400 Bad Request",
            Status::Forbidden => "403 Forbidden",
            Status::NotFound => "404 Not Found",
            Status::NotAllowed => "405 Method Not Allowed",
        }
    }
}

impl Request {
    /// Reads a request up to the empty line; `None` if it is none.
    pub fn read(from: &mut impl Read) -> io::Result<Option<Request>> {
        let mut bytes = Vec::new();
        let mut piece = [0; 1024];
        loop {
            let n = from.read(&mut piece)?;
            bytes.extend_from_slice(&piece[..n]);
            if bytes.windows(4).any(|w| w == b"\r\n\r\n") {
                return Ok(Request::parse(&bytes));
            }
            if n == 0 || bytes.len() > LONGEST {
                return Ok(None);
            }
        }
    }

    fn parse(bytes: &[u8]) -> Option<Request> {
        let text = std::str::from_utf8(bytes).ok()?;
        let mut lines = text.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, path, version) = (words.next()?, words.next()?, words.next()?);
        if words.next().is_some() || !version.starts_with("HTTP/1.") || !path.starts_with('/') {
            return None;
        }
        let mut request = Request {
            method: method.to_owned(),
            path: path.to_owned(),
            host: None,
            foreign: false,
        };
        let mut hosts = 0;
        for line in lines.take_while(|l| !l.is_empty()) {
            let (name, value) = line.split_once(':')?;
            let value = value.trim();
            if name.eq_ignore_ascii_case("host") {
                hosts += 1;
                request.host = (hosts == 1).then(|| value.to_owned());
            } else if name.eq_ignore_ascii_case("sec-fetch-site") {
                request.foreign = value.eq_ignore_ascii_case("cross-site")
                    || value.eq_ignore_ascii_case("same-site");
            }
        }
        Some(request)
    }
}

/// Writes an answer; a browser keeps nothing of it, shows it in no frame of others, and guesses
/// no types.
pub fn answer(to: &mut impl Write, status: Status, kind: &str, body: &[u8]) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 {}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\n\
         X-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\n\r\n",
        status.line(),
        body.len()
    );
    to.write_all(head.as_bytes())?;
    to.write_all(body)?;
    to.flush()
}
