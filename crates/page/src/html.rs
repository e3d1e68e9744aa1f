//! The page.

use pellucid::io::LAS_CLASSES;
use serde_json::{Value, json};

use crate::look::maps::{AMOUNT, SIGNED};
use crate::pack::Group;

/// How the page looks.
pub const STYLE: &str = include_str!("../assets/style.css");

/// What makes it work, in this order: names and contents.
pub const SCRIPTS: [(&str, &str); 10] = [
    ("data.js", include_str!("../assets/data.js")),
    ("camera.js", include_str!("../assets/camera.js")),
    ("draw.js", include_str!("../assets/draw.js")),
    ("charts.js", include_str!("../assets/charts.js")),
    ("run.js", include_str!("../assets/run.js")),
    ("colors.js", include_str!("../assets/colors.js")),
    ("hand.js", include_str!("../assets/hand.js")),
    ("overlay.js", include_str!("../assets/overlay.js")),
    ("app.js", include_str!("../assets/app.js")),
    ("start.js", include_str!("../assets/start.js")),
];

const BODY: &str = include_str!("../assets/body.html");

/// Nothing is fetched but from the page's own server, if it has one, to ask for changes.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
                      img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'";

/// A page under construction.
#[derive(Debug, Clone)]
pub struct Page {
    /// Title of the window.
    pub title: String,
    /// What the page says about its making, such as the command line.
    pub head: Value,
    /// Where the page asks whether it is out of date, if it does: a path on its own server and
    /// the answer it expects.
    pub live: Option<(String, String)>,
    /// What is shown.
    pub groups: Vec<Group>,
}

impl Page {
    /// A page without clouds.
    pub fn new(title: impl Into<String>) -> Self {
        Page { title: title.into(), head: Value::Null, live: None, groups: Vec::new() }
    }

    /// The whole page.
    pub fn html(&self) -> Result<String, serde_json::Error> {
        let data: usize = self.groups.iter().flat_map(|g| &g.blocks).map(|b| b.text.len()).sum();
        let mut out = String::with_capacity(data + 200_000);
        out += "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
        out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
        out += &format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n");
        out += &format!(
            "<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n",
            escaped(&self.title)
        );
        out += BODY;
        out += "<script type=\"application/json\" id=\"meta\">";
        out += &in_script(&serde_json::to_string(&self.meta())?);
        out += "</script>\n";
        for (g, group) in self.groups.iter().enumerate() {
            for block in &group.blocks {
                out += &format!("<script type=\"text/plain\" id=\"g{g}-{}\">", block.id);
                out += &block.text;
                out += "</script>\n";
            }
        }
        for (_, script) in SCRIPTS {
            out += "<script>\n";
            out += script;
            out += "</script>\n";
        }
        out += "</body>\n</html>\n";
        Ok(out)
    }

    fn meta(&self) -> Value {
        json!({
            "title": self.title,
            "head": self.head,
            "live": self.live,
            "classes": LAS_CLASSES,
            "maps": { "amount": AMOUNT.stops, "signed": SIGNED.stops },
            "groups": self.groups.iter().map(|g| &g.meta).collect::<Vec<_>>(),
        })
    }
}

/// Text for a page.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            c => out.push(c),
        }
    }
    out
}

/// JSON for a script element: in JSON these letters are only found within strings, where they may
/// be written as numbers.
fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}
