//! A small stroke font for captions: letters are lines and arcs drawn with a round pen.

use super::capitals::CAPITALS;
use super::image::{Image, Rgb};

/// Where the text lies relative to the given place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// It starts there.
    Left,
    /// It ends there.
    Right,
    /// Its middle is there.
    Center,
}

/// Between letters, and for a blank, in font units: the baseline is zero, tall letters reach ten.
const GAP: f64 = 2.2;
const SPACE: f64 = 3.4;

pub(super) enum Stroke {
    Line(&'static [(f64, f64)]),
    /// Center, radii, start and end in degrees, counter-clockwise from the right.
    Arc(f64, f64, f64, f64, f64, f64),
}
use Stroke::{Arc, Line};

const BOWL: Stroke = Arc(2.5, 3.0, 2.5, 3.0, 0.0, 360.0);
const ARCH: Stroke = Arc(2.3, 3.7, 2.3, 2.3, 0.0, 180.0);

/// Letters, their widths and their strokes.
const GLYPHS: &[(char, f64, &[Stroke])] = &[
    ('a', 5.0, &[BOWL, Line(&[(5.0, 6.0), (5.0, 0.0)])]),
    ('b', 5.0, &[BOWL, Line(&[(0.0, 10.0), (0.0, 0.0)])]),
    ('c', 4.6, &[Arc(2.7, 3.0, 2.7, 3.0, 45.0, 315.0)]),
    ('d', 5.0, &[BOWL, Line(&[(5.0, 10.0), (5.0, 0.0)])]),
    ('e', 5.0, &[Line(&[(0.1, 3.1), (5.0, 3.1)]), Arc(2.5, 3.0, 2.5, 3.0, 2.0, 315.0)]),
    (
        'f',
        3.2,
        &[
            Line(&[(1.2, 0.0), (1.2, 8.0)]),
            Arc(3.0, 8.0, 1.8, 2.0, 80.0, 180.0),
            Line(&[(-0.2, 6.0), (3.0, 6.0)]),
        ],
    ),
    ('g', 5.0, &[BOWL, Line(&[(5.0, 6.0), (5.0, -1.0)]), Arc(2.5, -1.0, 2.5, 2.2, 210.0, 360.0)]),
    ('h', 4.6, &[Line(&[(0.0, 10.0), (0.0, 0.0)]), ARCH, Line(&[(4.6, 3.7), (4.6, 0.0)])]),
    ('i', 0.4, &[Line(&[(0.2, 6.0), (0.2, 0.0)]), Line(&[(0.2, 8.7), (0.2, 8.8)])]),
    (
        'j',
        1.2,
        &[
            Line(&[(1.2, 6.0), (1.2, -1.0)]),
            Arc(-0.3, -1.0, 1.5, 1.8, 270.0, 360.0),
            Line(&[(1.2, 8.7), (1.2, 8.8)]),
        ],
    ),
    (
        'k',
        4.5,
        &[
            Line(&[(0.0, 10.0), (0.0, 0.0)]),
            Line(&[(4.2, 6.0), (0.0, 2.2)]),
            Line(&[(1.6, 3.6), (4.5, 0.0)]),
        ],
    ),
    ('l', 0.4, &[Line(&[(0.2, 10.0), (0.2, 0.0)])]),
    (
        'm',
        8.4,
        &[
            Line(&[(0.0, 6.0), (0.0, 0.0)]),
            Arc(2.1, 3.9, 2.1, 2.1, 0.0, 180.0),
            Line(&[(4.2, 3.9), (4.2, 0.0)]),
            Arc(6.3, 3.9, 2.1, 2.1, 0.0, 180.0),
            Line(&[(8.4, 3.9), (8.4, 0.0)]),
        ],
    ),
    ('n', 4.6, &[Line(&[(0.0, 6.0), (0.0, 0.0)]), ARCH, Line(&[(4.6, 3.7), (4.6, 0.0)])]),
    ('o', 5.0, &[BOWL]),
    ('p', 5.0, &[BOWL, Line(&[(0.0, 6.0), (0.0, -3.0)])]),
    ('q', 5.0, &[BOWL, Line(&[(5.0, 6.0), (5.0, -3.0)])]),
    ('r', 2.9, &[Line(&[(0.0, 6.0), (0.0, 0.0)]), Arc(2.2, 3.7, 2.2, 2.3, 70.0, 180.0)]),
    ('s', 4.0, &[Arc(2.0, 4.5, 1.8, 1.5, 40.0, 270.0), Arc(2.0, 1.5, 2.0, 1.5, 220.0, 450.0)]),
    (
        't',
        3.0,
        &[
            Line(&[(1.2, 8.4), (1.2, 1.6)]),
            Arc(2.8, 1.6, 1.6, 1.6, 180.0, 285.0),
            Line(&[(-0.3, 6.0), (3.0, 6.0)]),
        ],
    ),
    (
        'u',
        4.6,
        &[
            Line(&[(0.0, 6.0), (0.0, 2.3)]),
            Arc(2.3, 2.3, 2.3, 2.3, 180.0, 360.0),
            Line(&[(4.6, 6.0), (4.6, 0.0)]),
        ],
    ),
    ('v', 4.8, &[Line(&[(0.0, 6.0), (2.4, 0.0), (4.8, 6.0)])]),
    ('w', 7.4, &[Line(&[(0.0, 6.0), (1.85, 0.0), (3.7, 6.0), (5.55, 0.0), (7.4, 6.0)])]),
    ('x', 4.6, &[Line(&[(0.0, 6.0), (4.6, 0.0)]), Line(&[(4.6, 6.0), (0.0, 0.0)])]),
    ('y', 4.8, &[Line(&[(0.0, 6.0), (2.4, 0.0)]), Line(&[(4.8, 6.0), (1.2, -3.0)])]),
    ('z', 4.4, &[Line(&[(0.0, 6.0), (4.4, 6.0), (0.0, 0.0), (4.4, 0.0)])]),
    ('0', 5.2, &[Arc(2.6, 4.5, 2.6, 4.5, 0.0, 360.0)]),
    ('1', 2.6, &[Line(&[(0.2, 7.3), (2.2, 9.0), (2.2, 0.0)])]),
    (
        '2',
        5.0,
        &[Arc(2.5, 6.5, 2.4, 2.5, -25.0, 170.0), Line(&[(4.67, 5.44), (0.0, 0.0), (5.0, 0.0)])],
    ),
    ('3', 5.0, &[Arc(2.4, 6.8, 2.1, 2.2, -90.0, 150.0), Arc(2.4, 2.3, 2.5, 2.3, -150.0, 90.0)]),
    ('4', 5.4, &[Line(&[(4.0, 0.0), (4.0, 9.0), (0.0, 2.5), (5.4, 2.5)])]),
    (
        '5',
        5.0,
        &[Line(&[(4.5, 9.0), (0.8, 9.0), (0.5, 4.9)]), Arc(2.4, 2.9, 2.6, 2.9, -150.0, 135.0)],
    ),
    ('6', 5.0, &[Arc(2.5, 2.8, 2.5, 2.8, 0.0, 360.0), Arc(5.2, 3.2, 5.2, 5.8, 105.0, 180.0)]),
    ('7', 4.8, &[Line(&[(0.0, 9.0), (4.8, 9.0), (1.5, 0.0)])]),
    ('8', 5.2, &[Arc(2.6, 6.8, 2.1, 2.2, 0.0, 360.0), Arc(2.6, 2.3, 2.6, 2.3, 0.0, 360.0)]),
    ('9', 5.0, &[Arc(2.5, 6.2, 2.5, 2.8, 0.0, 360.0), Arc(-0.2, 5.8, 5.2, 5.8, 285.0, 360.0)]),
    ('.', 0.4, &[Line(&[(0.2, 0.0), (0.2, 0.1)])]),
    (',', 0.6, &[Line(&[(0.5, 0.2), (0.0, -1.6)])]),
    (':', 0.4, &[Line(&[(0.2, 0.0), (0.2, 0.1)]), Line(&[(0.2, 5.0), (0.2, 5.1)])]),
    ('-', 3.2, &[Line(&[(0.2, 3.2), (3.0, 3.2)])]),
    ('+', 4.4, &[Line(&[(0.0, 3.2), (4.4, 3.2)]), Line(&[(2.2, 5.4), (2.2, 1.0)])]),
    ('=', 4.4, &[Line(&[(0.0, 4.3), (4.4, 4.3)]), Line(&[(0.0, 2.1), (4.4, 2.1)])]),
    ('/', 3.6, &[Line(&[(0.0, -1.0), (3.6, 10.0)])]),
    ('_', 4.6, &[Line(&[(0.0, -1.0), (4.6, -1.0)])]),
    ('(', 2.0, &[Arc(4.0, 4.2, 4.0, 6.2, 130.0, 230.0)]),
    (')', 2.0, &[Arc(-2.0, 4.2, 4.0, 6.2, -50.0, 50.0)]),
    (
        '%',
        7.4,
        &[
            Arc(1.6, 7.0, 1.6, 2.0, 0.0, 360.0),
            Arc(5.8, 2.0, 1.6, 2.0, 0.0, 360.0),
            Line(&[(6.2, 9.0), (1.2, 0.0)]),
        ],
    ),
    (' ', SPACE - GAP, &[]),
];
/// Stands for any other letter.
const BOX: (f64, &[Stroke]) =
    (4.0, &[Line(&[(0.0, 0.0), (0.0, 9.0), (4.0, 9.0), (4.0, 0.0), (0.0, 0.0)])]);

/// Width and strokes of a letter; unknown letters are a box.
fn glyph(letter: char) -> (f64, &'static [Stroke]) {
    let known = GLYPHS.iter().chain(CAPITALS).find(|row| row.0 == letter);
    known.map_or(BOX, |&(_, width, strokes)| (width, strokes))
}

/// Writes `text` with its baseline at `y`; `size` is the height of tall letters in pixels.
pub fn draw_text(
    image: &mut Image,
    text: &str,
    (x, y): (f64, f64),
    size: f64,
    align: Align,
    color: Rgb,
) {
    let unit = size / 10.0;
    let glyphs: Vec<(f64, &[Stroke])> = text.chars().map(glyph).collect();
    let width: f64 = glyphs.iter().map(|g| g.0 + GAP).sum::<f64>() - GAP;
    let mut pen = match align {
        Align::Left => x,
        Align::Right => x - width * unit,
        Align::Center => x - 0.5 * width * unit,
    };
    for (advance, strokes) in glyphs {
        for stroke in strokes {
            let path: Vec<(f64, f64)> =
                outline(stroke).iter().map(|&(a, b)| (pen + a * unit, y - b * unit)).collect();
            draw_path(image, &path, 0.6 * unit.max(0.9), color);
        }
        pen += (advance + GAP) * unit;
    }
}

fn outline(stroke: &Stroke) -> Vec<(f64, f64)> {
    match *stroke {
        Line(points) => points.to_vec(),
        Arc(cx, cy, rx, ry, from, to) => {
            let steps = 4 + ((to - from) / 12.0) as usize;
            (0..=steps)
                .map(|i| {
                    let a = (from + (to - from) * i as f64 / steps as f64).to_radians();
                    (cx + rx * a.cos(), cy + ry * a.sin())
                })
                .collect()
        }
    }
}

/// Draws a line of that half-width through the points, its edge one pixel soft.
fn draw_path(image: &mut Image, path: &[(f64, f64)], half: f64, color: Rgb) {
    let span = |values: &mut dyn Iterator<Item = f64>, end: usize| {
        let (lo, hi) = values.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
        let clamp = |v: f64| (v.max(0.0) as usize).min(end);
        clamp(lo - half - 1.0)..clamp(hi + half + 2.0)
    };
    let columns = span(&mut path.iter().map(|p| p.0), image.width());
    for y in span(&mut path.iter().map(|p| p.1), image.height()) {
        for x in columns.clone() {
            let at = (x as f64 + 0.5, y as f64 + 0.5);
            let away = path.windows(2).map(|w| to_segment(at, w[0], w[1])).fold(f64::MAX, f64::min);
            let share = (half + 0.5 - away).clamp(0.0, 1.0);
            if share > 0.0 {
                image.blend(x, y, color, share);
            }
        }
    }
}

fn to_segment(p: (f64, f64), a: (f64, f64), b: (f64, f64)) -> f64 {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let length2 = dx * dx + dy * dy;
    let t = if length2 > 0.0 { ((p.0 - a.0) * dx + (p.1 - a.1) * dy) / length2 } else { 0.0 };
    let t = t.clamp(0.0, 1.0);
    (p.0 - a.0 - t * dx).hypot(p.1 - a.1 - t * dy)
}
