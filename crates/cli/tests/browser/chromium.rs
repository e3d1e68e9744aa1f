//! Drives a headless Chromium over its DevTools protocol, through a pair of named pipes.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Whatever takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(120);
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// The browser's program, if there is one. `scripts/test` installs one, and says by
/// `PELLUCID_BROWSER=required` that tests must not do without, and by `off` that they are left out.
pub fn program() -> Option<PathBuf> {
    let wish = std::env::var("PELLUCID_BROWSER").unwrap_or_default();
    if wish == "off" {
        eprintln!("skipped: PELLUCID_BROWSER=off");
        return None;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .flat_map(|folder| NAMES.map(|name| folder.join(name)))
        .find(|p| p.is_file());
    let required = wish == "required";
    assert!(found.is_some() || !required, "there is no Chromium; scripts/test installs it");
    if found.is_none() {
        eprintln!("skipped: there is no Chromium; scripts/test installs it");
    }
    found
}

/// A browser with one page.
pub struct Browser {
    child: Child,
    to: File,
    from: BufReader<File>,
    next: u64,
    session: String,
    /// What the page said on its console, and exceptions.
    pub errors: Vec<String>,
    /// Addresses that the page asked for.
    pub requests: Vec<String>,
    _profile: TempDir,
}

impl Browser {
    /// Starts a browser of that size.
    pub fn start(program: &Path, (width, height): (u32, u32)) -> Browser {
        let profile = tempfile::tempdir().unwrap();
        let [to, from] = ["to", "from"].map(|name| profile.path().join(name));
        assert!(Command::new("mkfifo").args([&to, &from]).status().unwrap().success());
        // The browser reads from its file 3 and writes to its file 4.
        let child = Command::new("sh")
            .args(["-c", "to=$1; from=$2; shift 2; exec \"$@\" 3<\"$to\" 4>\"$from\"", "sh"])
            .args([&to, &from])
            .arg(program)
            .args(["--headless", "--no-sandbox", "--remote-debugging-pipe", "--no-first-run"])
            .args(["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars"])
            .args(["--disable-background-networking", "--disable-component-update"])
            .args(["--disable-sync", "--disable-quic", "--disable-dev-shm-usage", "--mute-audio"])
            // The page is in front of nobody, but not to be slowed down for it.
            .args(["--disable-renderer-backgrounding", "--disable-background-timer-throttling"])
            .arg(format!("--window-size={width},{height}"))
            .arg(format!("--user-data-dir={}", profile.path().join("profile").display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Each waits for the shell to open the other end, in this order.
        let to = OpenOptions::new().write(true).open(to).unwrap();
        let from = BufReader::new(File::open(from).unwrap());
        let mut browser = Browser {
            child,
            to,
            from,
            next: 0,
            session: String::new(),
            errors: Vec::new(),
            requests: Vec::new(),
            _profile: profile,
        };
        let targets = browser.call("Target.getTargets", json!({}));
        let page = targets["targetInfos"]
            .as_array()
            .unwrap()
            .iter()
            .find(|t| t["type"] == "page")
            .unwrap()["targetId"]
            .clone();
        let attached =
            browser.call("Target.attachToTarget", json!({ "targetId": page, "flatten": true }));
        browser.session = attached["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser.resize(width, height);
        browser
    }

    /// Gives the page another size.
    pub fn resize(&mut self, width: u32, height: u32) {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Calls a method of the protocol; panics if it fails.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.try_call(method, parameters).unwrap_or_else(|e| panic!("{method}: {e}"))
    }

    fn try_call(&mut self, method: &str, parameters: Value) -> Result<Value, Value> {
        self.next += 1;
        let id = self.next;
        let mut message = json!({ "id": id, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.to.write_all(message.to_string().as_bytes()).unwrap();
        self.to.write_all(&[0]).unwrap();
        loop {
            let mut text = Vec::new();
            self.from.read_until(0, &mut text).unwrap();
            assert_eq!(text.pop(), Some(0), "the browser has ended; was asked for {method}");
            let answer: Value = serde_json::from_slice(&text).unwrap();
            if answer["id"] == id {
                let error = &answer["error"];
                let result = &answer["result"];
                return if error.is_null() { Ok(result.clone()) } else { Err(error.clone()) };
            }
            self.event(&answer);
        }
    }

    fn event(&mut self, event: &Value) {
        let p = &event["params"];
        match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => self.errors.push(p["exceptionDetails"].to_string()),
            "Runtime.consoleAPICalled" if p["type"] == "error" || p["type"] == "warning" => {
                self.errors.push(p["args"].to_string());
            }
            "Log.entryAdded" if p["entry"]["level"] == "error" => {
                self.errors.push(p["entry"].to_string());
            }
            "Network.requestWillBeSent" => {
                self.requests.push(p["request"]["url"].as_str().unwrap_or_default().to_owned());
            }
            _ => {}
        }
    }

    /// Goes to an address and waits until the clouds are drawn; gives the seconds it took.
    pub fn open(&mut self, address: &str) -> f64 {
        let start = Instant::now();
        let gone = self.call("Page.navigate", json!({ "url": address }));
        assert!(gone["errorText"].is_null(), "{gone}");
        self.wait("document.documentElement.dataset.ready === 'true'");
        start.elapsed().as_secs_f64()
    }

    /// Waits until an expression holds; while a page loads, what it needs may not be there yet.
    pub fn wait(&mut self, expression: &str) {
        let start = Instant::now();
        let asked = json!({ "expression": expression, "returnByValue": true });
        let holds = |b: &mut Browser| {
            let answer = b.try_call("Runtime.evaluate", asked.clone());
            answer.is_ok_and(|a| a["result"]["value"] == json!(true))
        };
        while !holds(self) {
            assert!(
                start.elapsed() < PATIENCE,
                "{expression} did not come true; errors: {:?}",
                self.errors
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The value of an expression; promises are waited for.
    pub fn eval(&mut self, expression: &str) -> Value {
        let asked = json!({
            "expression": expression,
            "awaitPromise": true,
            "returnByValue": true,
            "userGesture": true,
        });
        let answer = self.call("Runtime.evaluate", asked);
        assert!(
            answer["exceptionDetails"].is_null(),
            "{expression}: {}",
            answer["exceptionDetails"]
        );
        answer["result"]["value"].clone()
    }

    /// Presses a mouse button, moves and lets go.
    pub fn drag(&mut self, from: (f64, f64), to: (f64, f64)) {
        self.mouse("mousePressed", from, 1);
        for k in 1..=8 {
            let t = f64::from(k) / 8.0;
            let at = (from.0 + (to.0 - from.0) * t, from.1 + (to.1 - from.1) * t);
            self.mouse("mouseMoved", at, 1);
        }
        self.mouse("mouseReleased", to, 0);
    }

    /// Presses and lets go at one place.
    pub fn click(&mut self, at: (f64, f64)) {
        self.mouse("mousePressed", at, 1);
        self.mouse("mouseReleased", at, 0);
    }

    fn mouse(&mut self, kind: &str, (x, y): (f64, f64), buttons: u32) {
        let event = json!({
            "type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1,
        });
        self.call("Input.dispatchMouseEvent", event);
    }

    /// Presses a key.
    pub fn key(&mut self, key: &str) {
        let text = if key.chars().count() == 1 { key } else { "" };
        self.call("Input.dispatchKeyEvent", json!({ "type": "keyDown", "key": key, "text": text }));
        self.call("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key }));
    }

    /// The page as a PNG file's bytes, also kept under `target/browser` for people to inspect.
    pub fn shot(&mut self, name: &str) -> Vec<u8> {
        self.eval("Pellucid.app ? Pellucid.app.drawn() : null");
        let answer = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        let bytes = STANDARD.decode(answer["data"].as_str().unwrap()).unwrap();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../browser");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{name}.png")), &bytes).unwrap();
        bytes
    }

    /// Panics if the page complained or asked for anything but `allowed`.
    pub fn expect_quiet(&mut self, allowed: &str) {
        self.eval("1");
        assert!(self.errors.is_empty(), "{:?}", self.errors);
        let foreign: Vec<&String> = self
            .requests
            .iter()
            .filter(|r| !r.starts_with(allowed) && !r.starts_with("blob:"))
            .collect();
        assert!(foreign.is_empty(), "{foreign:?}");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The pixels of a PNG file.
pub struct Pixels {
    pub width: usize,
    bytes: Vec<u8>,
    depth: usize,
}

impl Pixels {
    pub fn of(png_bytes: &[u8]) -> Pixels {
        let mut reader = png::Decoder::new(std::io::Cursor::new(png_bytes)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        let depth = info.color_type.samples();
        Pixels { width: info.width as usize, bytes, depth }
    }

    pub fn at(&self, x: usize, y: usize) -> [i32; 3] {
        let k = (y * self.width + x) * self.depth;
        [0, 1, 2].map(|c| i32::from(self.bytes[k + c]))
    }

    /// Mean of a box of pixels.
    pub fn mean(&self, x: std::ops::Range<usize>, y: std::ops::Range<usize>) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for j in y.clone() {
            for i in x.clone() {
                let p = self.at(i, j);
                for c in 0..3 {
                    sum[c] += f64::from(p[c]);
                }
            }
        }
        sum.map(|s| s / (x.len() * y.len()) as f64)
    }
}
