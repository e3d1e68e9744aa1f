//! A small writer of line and bar charts.

mod axis;

use std::fmt::Write;

use axis::Axis;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 230.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 48.0;
/// Colors that people with color blindness can tell apart (Okabe and Ito), then repeated dashed.
const COLORS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999"];

/// A line of a chart.
pub struct Series {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// What is on the axes.
pub struct Labels<'a> {
    pub title: &'a str,
    pub x: &'a str,
    pub y: &'a str,
}

/// A chart of lines, with dots where the values are.
pub fn lines(labels: &Labels, series: &[Series]) -> String {
    let all = || series.iter().flat_map(|s| s.points.iter().copied());
    let x = Axis::of(all().map(|p| p.0));
    let y = Axis::of(all().map(|p| p.1));
    drawn(labels, series, &x, &y)
}

/// The same with logarithmic axes; what is not above zero has no place there.
pub fn log_lines(labels: &Labels, series: Vec<Series>) -> String {
    let above = |p: &(f64, f64)| p.0 > 0.0 && p.1 > 0.0;
    let kept: Vec<Series> = series
        .into_iter()
        .map(|s| Series { points: s.points.into_iter().filter(above).collect(), ..s })
        .collect();
    let all = || kept.iter().flat_map(|s| s.points.iter().copied());
    let x = Axis::log(all().map(|p| p.0));
    let y = Axis::log(all().map(|p| p.1));
    drawn(labels, &kept, &x, &y)
}

fn drawn(labels: &Labels, series: &[Series], x: &Axis, y: &Axis) -> String {
    let at = |(a, b): (f64, f64)| {
        let w = WIDTH - LEFT - RIGHT;
        let h = HEIGHT - TOP - BOTTOM;
        (LEFT + w * x.share(a), HEIGHT - BOTTOM - h * y.share(b))
    };
    let mut out = begin(labels);
    for t in &x.ticks {
        let (px, _) = at((*t, y.low));
        out += &format!(
            "<line x1=\"{px:.1}\" y1=\"{TOP}\" x2=\"{px:.1}\" y2=\"{:.1}\" stroke=\"#eee\"/>\n",
            HEIGHT - BOTTOM
        );
        out += &text(px, HEIGHT - BOTTOM + 16.0, "middle", &x.print(*t));
    }
    for t in &y.ticks {
        let (_, py) = at((x.low, *t));
        out += &format!(
            "<line x1=\"{LEFT}\" y1=\"{py:.1}\" x2=\"{:.1}\" y2=\"{py:.1}\" stroke=\"#ddd\"/>\n",
            WIDTH - RIGHT
        );
        out += &text(LEFT - 6.0, py + 4.0, "end", &y.print(*t));
    }
    for (i, s) in series.iter().enumerate() {
        let color = COLORS[i % COLORS.len()];
        let dash = if i < COLORS.len() { "" } else { " stroke-dasharray=\"5 3\"" };
        let path: Vec<String> =
            s.points.iter().map(|&p| at(p)).map(|(a, b)| format!("{a:.1},{b:.1}")).collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.8\"{dash}/>",
            path.join(" ")
        );
        for &p in &s.points {
            let (a, b) = at(p);
            let _ =
                writeln!(out, "<circle cx=\"{a:.1}\" cy=\"{b:.1}\" r=\"2.4\" fill=\"{color}\"/>");
        }
        let row = TOP + 10.0 + 18.0 * i as f64;
        let key = WIDTH - RIGHT + 12.0;
        let _ = writeln!(
            out,
            "<line x1=\"{key}\" y1=\"{row}\" x2=\"{}\" y2=\"{row}\" stroke=\"{color}\" \
             stroke-width=\"2.5\"{dash}/>",
            key + 20.0
        );
        out += &text(key + 26.0, row + 4.0, "start", &s.name);
    }
    out + "</svg>\n"
}

/// A chart of bars that lie, each with its name and value.
pub fn bars(labels: &Labels, values: &[(String, f64)]) -> String {
    let most = values.iter().map(|v| v.1).fold(0.0, f64::max);
    let left = 250.0;
    let height = TOP + 26.0 * values.len() as f64 + 30.0;
    let mut out = sized(labels.title, height);
    for (i, (name, value)) in values.iter().enumerate() {
        let y = TOP + 26.0 * i as f64;
        let w = if most > 0.0 { (WIDTH - left - 70.0) * value / most } else { 0.0 };
        out += &text(left - 8.0, y + 15.0, "end", name);
        let color = COLORS[0];
        let _ = writeln!(
            out,
            "<rect x=\"{left}\" y=\"{:.1}\" width=\"{w:.1}\" height=\"16\" fill=\"{color}\"/>",
            y + 2.0
        );
        out += &text(left + w + 6.0, y + 15.0, "start", &format!("{value:.1}"));
    }
    out += &text(left, height - 10.0, "start", labels.x);
    out + "</svg>\n"
}

fn sized(title: &str, height: f64) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n"
    );
    let title = escape(title);
    let _ = writeln!(out, "<text x=\"16\" y=\"22\" font-size=\"15\">{title}</text>");
    out
}

fn begin(labels: &Labels) -> String {
    let mut out = sized(labels.title, HEIGHT);
    let middle = LEFT + (WIDTH - LEFT - RIGHT) / 2.0;
    out += &text(middle, HEIGHT - 10.0, "middle", labels.x);
    let y = TOP + (HEIGHT - TOP - BOTTOM) / 2.0;
    let _ = writeln!(
        out,
        "<text x=\"16\" y=\"{y}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {y})\">{}</text>",
        escape(labels.y)
    );
    out
}

fn text(x: f64, y: f64, anchor: &str, content: &str) -> String {
    let content = escape(content);
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{content}</text>\n")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
