//! The core of point formats 6 to 10 of LAZ (LASzip calls it POINT14), with times that have an end.
//!
//! The decoder of the `laz` crate cannot be kept from its endless GPS times (see `times`), and does
//! not tell which points have a new time, so all that is stored beside the times is decoded here
//! too. Contexts, models and predictions are those of LASzip.

use std::io::{Cursor, ErrorKind, Read, Result};

use laz::DecompressionSelection;
use laz::decoders::ArithmeticDecoder;
use laz::decompressors::{IntegerDecompressor, IntegerDecompressorBuilder};
use laz::models::{ArithmeticModel, ArithmeticModelBuilder};
use laz::record::LayeredFieldDecompressor;

use super::times::Times;
use crate::scalar::Number;

const BYTES: usize = 30;
const LAYERS: usize = 9;
const CHANNELS: usize = 4;

/// The bytes of a layer being decoded.
type Layer = ArithmeticDecoder<Cursor<Vec<u8>>>;

/// Context by number of returns (row) and return number (column).
const RETURNS: [&[u8; 16]; 16] = [
    b"0123453445555555",
    b"1013333333333333",
    b"2124444444433333",
    b"3345444444444444",
    b"4344544444444444",
    b"5344454444444444",
    b"3344445444444444",
    b"4344444544444444",
    b"4344444454444444",
    b"5344444445444444",
    b"5344444444544444",
    b"5334444444455444",
    b"5334444444455544",
    b"5334444444445554",
    b"5334444444444555",
    b"5334444444444455",
];

/// The layers in the order of the file; those of fields that never change are empty.
#[derive(Default)]
struct Layers {
    xy: Option<Layer>,
    z: Option<Layer>,
    classification: Option<Layer>,
    flags: Option<Layer>,
    intensity: Option<Layer>,
    scan_angle: Option<Layer>,
    user_data: Option<Layer>,
    source: Option<Layer>,
    time: Option<Layer>,
}

/// A point as it is stored.
#[derive(Clone, Copy, Default)]
struct Point {
    xyz: [i32; 3],
    intensity: u16,
    return_number: u8,
    returns: u8,
    /// Four flags of the classification, the channel in two bits, direction and edge.
    flags: u8,
    classification: u8,
    user_data: u8,
    scan_angle: i16,
    source: u16,
    time: i64,
}

impl Point {
    fn get(raw: &[u8]) -> Self {
        Point {
            xyz: std::array::from_fn(|c| i32::get(&raw[4 * c..], false)),
            intensity: u16::get(&raw[12..], false),
            return_number: raw[14] & 15,
            returns: raw[14] >> 4,
            flags: raw[15],
            classification: raw[16],
            user_data: raw[17],
            scan_angle: i16::get(&raw[18..], false),
            source: u16::get(&raw[20..], false),
            time: i64::get(&raw[22..], false),
        }
    }

    fn put(&self, out: &mut [u8]) {
        for (c, x) in self.xyz.iter().enumerate() {
            x.put(&mut out[4 * c..], false);
        }
        self.intensity.put(&mut out[12..], false);
        out[14] = self.return_number | self.returns << 4;
        out[15] = self.flags;
        out[16] = self.classification;
        out[17] = self.user_data;
        self.scan_angle.put(&mut out[18..], false);
        self.source.put(&mut out[20..], false);
        self.time.put(&mut out[22..], false);
    }

    fn channel(&self) -> usize {
        usize::from(self.flags >> 4 & 3)
    }
}

/// About the median of the last five values.
#[derive(Clone, Copy)]
struct Median {
    sorted: [i32; 5],
    /// The largest value goes next, not the smallest.
    high: bool,
}

impl Median {
    fn add(&mut self, value: i32) {
        let middle = self.sorted[2];
        let (goes, turns) = if self.high { (4, value >= middle) } else { (0, value <= middle) };
        self.sorted[goes] = value;
        self.sorted.sort_unstable();
        self.high ^= turns;
    }
}

/// Models made when they are first needed.
type Models = Vec<Option<ArithmeticModel>>;

fn model(symbols: u32) -> ArithmeticModel {
    ArithmeticModelBuilder::new(symbols).build()
}

fn symbol(models: &mut Models, which: u8, symbols: u32, layer: &mut Layer) -> Result<u8> {
    let model = models[usize::from(which)].get_or_insert_with(|| model(symbols));
    Ok(layer.decode_symbol(model)? as u8)
}

/// What is known of one scanner channel.
struct Channel {
    last: Point,
    time_changed: bool,
    intensities: [u16; 8],
    heights: [i32; 8],
    steps: [[Median; 12]; 2],
    changes: Vec<ArithmeticModel>,
    channel: ArithmeticModel,
    returns: Models,
    return_number: Models,
    return_step: ArithmeticModel,
    classification: Models,
    flags: Models,
    user_data: Models,
    x: IntegerDecompressor,
    y: IntegerDecompressor,
    z: IntegerDecompressor,
    intensity: IntegerDecompressor,
    scan_angle: IntegerDecompressor,
    source: IntegerDecompressor,
    times: Times,
}

impl Channel {
    fn new(last: Point) -> Self {
        let numbers = |bits: u32, contexts: u32| {
            IntegerDecompressorBuilder::new().bits(bits).contexts(contexts).build_initialized()
        };
        let none = |n: usize| vec![None; n];
        Channel {
            last,
            time_changed: false,
            intensities: [last.intensity; 8],
            heights: [last.xyz[2]; 8],
            steps: [[Median { sorted: [0; 5], high: true }; 12]; 2],
            changes: vec![model(128); 8],
            channel: model(3),
            returns: none(16),
            return_number: none(16),
            return_step: model(13),
            classification: none(64),
            flags: none(64),
            user_data: none(64),
            x: numbers(32, 2),
            y: numbers(32, 22),
            z: numbers(32, 20),
            intensity: numbers(16, 4),
            scan_angle: numbers(16, 2),
            source: numbers(16, 1),
            times: Times::new(last.time, false),
        }
    }

    /// Which fields the next point changes.
    fn changes(&mut self, xy: &mut Layer) -> Result<u32> {
        let p = &self.last;
        let first = usize::from(p.return_number == 1);
        let last = usize::from(p.return_number >= p.returns);
        let context = first + 2 * last + 4 * usize::from(self.time_changed);
        xy.decode_symbol(&mut self.changes[context])
    }

    /// The next point, which changes these fields.
    fn next(&mut self, changes: u32, layers: &mut Layers) -> Result<()> {
        let Some(xy) = &mut layers.xy else { return Err(ErrorKind::UnexpectedEof.into()) };
        self.time_changed = changes & 16 != 0;
        self.read_returns(changes, xy)?;
        self.read_position(xy, &mut layers.z)?;
        self.read_fields(changes, layers)?;
        if let Some(time) = layers.time.as_mut().filter(|_| self.time_changed) {
            self.last.time = self.times.next(time)?;
        }
        Ok(())
    }

    fn read_returns(&mut self, changes: u32, xy: &mut Layer) -> Result<()> {
        let p = &mut self.last;
        if changes & 4 != 0 {
            p.returns = symbol(&mut self.returns, p.returns, 16, xy)?;
        }
        p.return_number = match changes & 3 {
            0 => p.return_number,
            1 => (p.return_number + 1) % 16,
            2 => (p.return_number + 15) % 16,
            _ if self.time_changed => symbol(&mut self.return_number, p.return_number, 16, xy)?,
            _ => (p.return_number + 2 + xy.decode_symbol(&mut self.return_step)? as u8) % 16,
        };
        Ok(())
    }

    fn read_position(&mut self, xy: &mut Layer, z: &mut Option<Layer>) -> Result<()> {
        let p = &mut self.last;
        let (n, r) = (usize::from(p.returns), usize::from(p.return_number));
        let which = usize::from(2 * (RETURNS[n][r] - b'0') + u8::from(self.time_changed));
        let single = u32::from(n == 1);
        // The context of a coordinate is the size of the correction of those before it.
        let even = |k: u32, most: u32| single + if k < most { k & !1 } else { most };
        let [xs, ys] = &mut self.steps;
        let step = self.x.decompress(xy, xs[which].sorted[2], single)?;
        p.xyz[0] = p.xyz[0].wrapping_add(step);
        xs[which].add(step);
        let step = self.y.decompress(xy, ys[which].sorted[2], even(self.x.k(), 20))?;
        p.xyz[1] = p.xyz[1].wrapping_add(step);
        ys[which].add(step);
        if let Some(layer) = z {
            let context = even((self.x.k() + self.y.k()) / 2, 18);
            let height = &mut self.heights[n.abs_diff(r).min(7)];
            *height = self.z.decompress(layer, *height, context)?;
            p.xyz[2] = *height;
        }
        Ok(())
    }

    fn read_fields(&mut self, changes: u32, layers: &mut Layers) -> Result<()> {
        let p = &mut self.last;
        let (first, last) = (p.return_number == 1, p.return_number >= p.returns);
        if let Some(layer) = &mut layers.classification {
            let context = (p.classification & 31) << 1 | u8::from(first && last);
            p.classification = symbol(&mut self.classification, context, 256, layer)?;
        }
        if let Some(layer) = &mut layers.flags {
            // Without the channel.
            let context = (p.flags >> 6) << 4 | p.flags & 15;
            let flags = symbol(&mut self.flags, context, 64, layer)?;
            p.flags = (flags >> 4) << 6 | p.flags & 0x30 | flags & 15;
        }
        let time_changed = usize::from(self.time_changed);
        if let Some(layer) = &mut layers.intensity {
            let context = usize::from(first) << 1 | usize::from(last);
            let value = &mut self.intensities[context << 1 | time_changed];
            *value = self.intensity.decompress(layer, (*value).into(), context as u32)? as u16;
            p.intensity = *value;
        }
        if let Some(layer) = layers.scan_angle.as_mut().filter(|_| changes & 8 != 0) {
            let before = p.scan_angle.into();
            p.scan_angle = self.scan_angle.decompress(layer, before, time_changed as u32)? as i16;
        }
        if let Some(layer) = &mut layers.user_data {
            p.user_data = symbol(&mut self.user_data, p.user_data / 4, 256, layer)?;
        }
        if let Some(layer) = layers.source.as_mut().filter(|_| changes & 32 != 0) {
            p.source = self.source.decompress(layer, p.source.into(), 0)? as u16;
        }
        Ok(())
    }
}

/// Decodes points of a chunk.
pub(super) struct Point14 {
    /// Since version 4 the fields that follow always get the channel, before only if it changes.
    tells_channel: bool,
    sizes: [usize; LAYERS],
    layers: Layers,
    channels: [Option<Box<Channel>>; CHANNELS],
    current: usize,
}

impl Point14 {
    pub fn new(version: u16) -> Self {
        Point14 {
            tells_channel: version >= 4,
            sizes: [0; LAYERS],
            layers: Layers::default(),
            channels: Default::default(),
            current: 0,
        }
    }
}

impl<R: Read> LayeredFieldDecompressor<R> for Point14 {
    fn size_of_field(&self) -> usize {
        BYTES
    }

    /// Everything is decoded.
    fn set_selection(&mut self, _: DecompressionSelection) {}

    fn init_first_point(
        &mut self,
        src: &mut R,
        first: &mut [u8],
        context: &mut usize,
    ) -> Result<()> {
        src.read_exact(first)?;
        let point = Point::get(first);
        self.current = point.channel();
        *context = self.current;
        self.channels = Default::default();
        self.channels[self.current] = Some(Box::new(Channel::new(point)));
        Ok(())
    }

    fn decompress_field_with(&mut self, out: &mut [u8], context: &mut usize) -> Result<()> {
        let end = || std::io::Error::from(ErrorKind::UnexpectedEof);
        let xy = self.layers.xy.as_mut().ok_or_else(end)?;
        let channel = self.channels[self.current].as_mut().ok_or_else(end)?;
        let changes = channel.changes(xy)?;
        let switched = changes & 64 != 0;
        if switched {
            let by = xy.decode_symbol(&mut channel.channel)? as usize;
            let last = channel.last;
            self.current = (self.current + by + 1) % CHANNELS;
            let next = &mut self.channels[self.current];
            let channel = next.get_or_insert_with(|| Box::new(Channel::new(last)));
            channel.last.flags = channel.last.flags & !0x30 | (self.current as u8) << 4;
        }
        if switched || self.tells_channel {
            *context = self.current;
        }
        let channel = self.channels[self.current].as_mut().ok_or_else(end)?;
        channel.next(changes, &mut self.layers)?;
        channel.last.put(out);
        Ok(())
    }

    fn read_layers_sizes(&mut self, src: &mut R) -> Result<()> {
        for size in &mut self.sizes {
            let mut raw = [0; 4];
            src.read_exact(&mut raw)?;
            *size = u32::from_le_bytes(raw) as usize;
        }
        Ok(())
    }

    fn read_layers(&mut self, src: &mut R) -> Result<()> {
        let mut sizes = self.sizes.into_iter();
        let mut layer = || read_layer(src, sizes.next().unwrap_or(0));
        self.layers = Layers {
            xy: layer()?,
            z: layer()?,
            classification: layer()?,
            flags: layer()?,
            intensity: layer()?,
            scan_angle: layer()?,
            user_data: layer()?,
            source: layer()?,
            time: layer()?,
        };
        Ok(())
    }
}

/// The next `size` bytes, if there are so many.
fn read_layer<R: Read>(src: &mut R, size: usize) -> Result<Option<Layer>> {
    if size == 0 {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    if src.take(size as u64).read_to_end(&mut bytes)? < size {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    let mut layer = ArithmeticDecoder::new(Cursor::new(bytes));
    layer.read_init_bytes()?;
    Ok(Some(layer))
}
