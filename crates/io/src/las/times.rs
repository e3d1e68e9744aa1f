//! GPS times of LAZ, decoded in a loop.
//!
//! The decoder of the `laz` crate calls itself for each switch between sequences of times. One byte of
//! a file can stand for tens of thousands of switches, which end the stack and with it the program.
//! The coding is that of LASzip (M. Isenburg, LASzip: lossless compression of LiDAR data, 2013).

use std::io::{Error, ErrorKind, Read, Result};

use laz::decoders::ArithmeticDecoder;
use laz::decompressors::{IntegerDecompressor, IntegerDecompressorBuilder};
use laz::models::{ArithmeticModel, ArithmeticModelBuilder};
use laz::record::FieldDecompressor;

/// Sequences of times that a file goes on with, such as one for each of several lasers.
const SEQUENCES: usize = 4;

/// A sequence of times; differences repeat, or are multiples of the one before.
#[derive(Debug, Clone, Copy, Default)]
struct Sequence {
    /// The bits of the last time.
    time: i64,
    difference: i32,
    /// How many differences in a row were out of proportion.
    extremes: u8,
}

/// What comes next.
enum Step {
    Same,
    /// The first difference of a sequence.
    First,
    /// A difference near a multiple of the last one.
    Multiple(i32),
    /// A new sequence.
    Full,
    /// Another sequence, so many further.
    Switch(usize),
}

/// State of the decoder of GPS times.
pub(super) struct Times {
    sequences: [Sequence; SEQUENCES],
    current: usize,
    newest: usize,
    /// Symbols after a difference of zero, and after others.
    first: ArithmeticModel,
    multiple: ArithmeticModel,
    numbers: IntegerDecompressor,
    /// There is a symbol for a time that stays the same.
    has_same: bool,
}

impl Times {
    /// From the first time on. Point formats from 6 on store whether the time changes elsewhere.
    pub fn new(first: i64, has_same: bool) -> Self {
        let mut sequences = [Sequence::default(); SEQUENCES];
        sequences[0].time = first;
        let same = u32::from(has_same);
        Times {
            sequences,
            current: 0,
            newest: 0,
            first: ArithmeticModelBuilder::new(5 + same).build(),
            multiple: ArithmeticModelBuilder::new(515 + same).build(),
            numbers: IntegerDecompressorBuilder::new().bits(32).contexts(9).build_initialized(),
            has_same,
        }
    }

    /// The bits of the next time.
    pub fn next<R: Read>(&mut self, decoder: &mut ArithmeticDecoder<R>) -> Result<i64> {
        // Writers switch once at most, to the sequence that the time belongs to.
        for _ in 0..SEQUENCES {
            match self.step(decoder)? {
                Step::Same => {}
                Step::First => {
                    let difference = self.numbers.decompress(decoder, 0, 0)?;
                    let s = &mut self.sequences[self.current];
                    s.difference = difference;
                    s.time = s.time.wrapping_add(difference.into());
                    s.extremes = 0;
                }
                Step::Multiple(n) => self.go_on(n, decoder)?,
                Step::Full => {
                    let before = (self.sequences[self.current].time >> 32) as i32;
                    let high = self.numbers.decompress(decoder, before, 8)?;
                    let time = i64::from(high) << 32 | i64::from(decoder.read_int()?);
                    self.newest = (self.newest + 1) % SEQUENCES;
                    self.current = self.newest;
                    self.sequences[self.current] = Sequence { time, ..Sequence::default() };
                }
                Step::Switch(by) => {
                    self.current = (self.current + by) % SEQUENCES;
                    continue;
                }
            }
            return Ok(self.sequences[self.current].time);
        }
        let fault = "a GPS time switches between sequences without end";
        Err(Error::new(ErrorKind::InvalidData, fault))
    }

    fn step<R: Read>(&mut self, decoder: &mut ArithmeticDecoder<R>) -> Result<Step> {
        if self.sequences[self.current].difference == 0 {
            let symbol = decoder.decode_symbol(&mut self.first)?;
            return Ok(match symbol + u32::from(!self.has_same) {
                0 => Step::Same,
                1 => Step::First,
                2 => Step::Full,
                n => Step::Switch(n as usize - 2),
            });
        }
        let symbol = decoder.decode_symbol(&mut self.multiple)?;
        Ok(match symbol + u32::from(!self.has_same && symbol > 510) {
            n @ 0..=510 => Step::Multiple(n as i32),
            511 => Step::Same,
            512 => Step::Full,
            n => Step::Switch(n as usize - 512),
        })
    }

    /// Adds a difference to the sequence, predicted from the last one.
    fn go_on<R: Read>(&mut self, symbol: i32, decoder: &mut ArithmeticDecoder<R>) -> Result<()> {
        // Multiples up to 500, then those from -1 to -10; which model of numbers; out of proportion?
        let (factor, model, extreme) = match symbol {
            0 => (0, 7, true),
            1 => (1, 1, false),
            2..=9 => (symbol, 2, false),
            10..=499 => (symbol, 3, false),
            500 => (500, 4, true),
            501..=509 => (500 - symbol, 5, false),
            _ => (-10, 6, true),
        };
        let s = &mut self.sequences[self.current];
        let expected = s.difference.wrapping_mul(factor);
        let difference = self.numbers.decompress(decoder, expected, model)?;
        s.time = s.time.wrapping_add(difference.into());
        if symbol == 1 {
            s.extremes = 0;
        } else if extreme {
            s.extremes += 1;
            if s.extremes > 3 {
                (s.difference, s.extremes) = (difference, 0);
            }
        }
        Ok(())
    }
}

/// GPS times of point formats 1, 3, 4 and 5, second version.
pub(super) struct GpsTime(Times);

impl Default for GpsTime {
    fn default() -> Self {
        GpsTime(Times::new(0, true))
    }
}

impl<R: Read> FieldDecompressor<R> for GpsTime {
    fn size_of_field(&self) -> usize {
        8
    }

    fn decompress_first(&mut self, src: &mut R, first: &mut [u8]) -> Result<()> {
        let mut bits = [0; 8];
        src.read_exact(&mut bits)?;
        first.copy_from_slice(&bits);
        self.0 = Times::new(i64::from_le_bytes(bits), true);
        Ok(())
    }

    fn decompress_with(
        &mut self,
        decoder: &mut ArithmeticDecoder<R>,
        out: &mut [u8],
    ) -> Result<()> {
        out.copy_from_slice(&self.0.next(decoder)?.to_le_bytes());
        Ok(())
    }
}
