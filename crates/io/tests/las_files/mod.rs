//! LAS files made byte by byte, apart from the code under test.
#![allow(dead_code)]

use crate::common::Rng;
use rand::RngExt;

/// User, record number, content.
pub type Record = (String, u16, Vec<u8>);

pub fn vlr(user: &str, id: u16, data: &[u8]) -> Record {
    (user.to_owned(), id, data.to_vec())
}

/// One description of the Extra Bytes record.
pub fn descriptor(name: &str, ty: u8, options: u8, scale: f64, offset: f64) -> Vec<u8> {
    let mut raw = vec![0; 192];
    raw[2] = ty;
    raw[3] = options;
    raw[4..4 + name.len()].copy_from_slice(name.as_bytes());
    for i in 0..3 {
        raw[112 + 8 * i..120 + 8 * i].copy_from_slice(&scale.to_le_bytes());
        raw[136 + 8 * i..144 + 8 * i].copy_from_slice(&offset.to_le_bytes());
    }
    raw[160..164].copy_from_slice(b"text");
    raw
}

#[derive(Clone)]
pub struct Builder {
    minor: u8,
    format: u8,
    extra: usize,
    scale: [f64; 3],
    offset: [f64; 3],
    vlrs: Vec<Record>,
    evlrs: Vec<Record>,
    waves: Option<usize>,
    gap: Vec<u8>,
    padding: Vec<u8>,
    records: Vec<u8>,
}

impl Builder {
    pub fn new(minor: u8, format: u8) -> Self {
        Builder {
            minor,
            format,
            extra: 0,
            scale: [0.001; 3],
            offset: [0.0; 3],
            vlrs: Vec::new(),
            evlrs: Vec::new(),
            waves: None,
            // The signature of LAS 1.0.
            gap: if minor == 0 { vec![0xdd, 0xcc] } else { Vec::new() },
            padding: Vec::new(),
            records: Vec::new(),
        }
    }

    pub fn extra(mut self, bytes: usize) -> Self {
        self.extra = bytes;
        self
    }

    pub fn transform(mut self, scale: [f64; 3], offset: [f64; 3]) -> Self {
        (self.scale, self.offset) = (scale, offset);
        self
    }

    pub fn vlr(mut self, record: Record) -> Self {
        self.vlrs.push(record);
        self
    }

    pub fn evlr(mut self, record: Record) -> Self {
        self.evlrs.push(record);
        self
    }

    /// Which of the later records holds the waveforms.
    pub fn waves(mut self, which: usize) -> Self {
        self.waves = Some(which);
        self
    }

    pub fn gap(mut self, bytes: &[u8]) -> Self {
        self.gap = bytes.to_vec();
        self
    }

    pub fn padding(mut self, bytes: &[u8]) -> Self {
        self.padding = bytes.to_vec();
        self
    }

    pub fn length(&self) -> usize {
        [20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67][usize::from(self.format)] + self.extra
    }

    pub fn records(mut self, records: &[u8]) -> Self {
        self.records = records.to_vec();
        self
    }

    /// Records of any bits.
    pub fn random_points(mut self, r: &mut Rng, n: usize) -> Self {
        self.records = (0..n * self.length()).map(|_| r.random()).collect();
        self
    }

    pub fn build(&self) -> Vec<u8> {
        let mut out = self.header();
        for (user, id, data) in &self.vlrs {
            out.extend(self.record(user, *id, data, false));
        }
        out.extend(&self.gap);
        out.extend(&self.records);
        for (user, id, data) in &self.evlrs {
            out.extend(self.record(user, *id, data, true));
        }
        out
    }

    fn record(&self, user: &str, id: u16, data: &[u8], extended: bool) -> Vec<u8> {
        let mut out = vec![0; 2];
        out.extend(user.as_bytes());
        out.resize(18, 0);
        out.extend(id.to_le_bytes());
        if extended {
            out.extend((data.len() as u64).to_le_bytes());
        } else {
            out.extend((data.len() as u16).to_le_bytes());
        }
        out.extend(b"what it is");
        out.resize(out.len() + 22, 0);
        out.extend(data);
        out
    }

    fn header(&self) -> Vec<u8> {
        let size = match self.minor {
            0..=2 => 227,
            3 => 235,
            _ => 375,
        } + self.padding.len();
        let vlr_bytes: usize = self.vlrs.iter().map(|v| 54 + v.2.len()).sum();
        let start = size + vlr_bytes + self.gap.len();
        let end = start + self.records.len();
        let n = self.records.len() / self.length();
        let mut h = b"LASF".to_vec();
        h.extend(17u16.to_le_bytes());
        h.extend((u16::from(self.waves.is_some()) * 2 + 1).to_le_bytes());
        h.extend((1..=16).collect::<Vec<u8>>());
        h.extend([1, self.minor]);
        h.extend(b"some scanner");
        h.resize(58, 0);
        h.extend(b"some software");
        h.resize(90, 0);
        h.extend(123u16.to_le_bytes());
        h.extend(2019u16.to_le_bytes());
        h.extend((size as u16).to_le_bytes());
        h.extend((start as u32).to_le_bytes());
        h.extend((self.vlrs.len() as u32).to_le_bytes());
        h.push(self.format);
        h.extend((self.length() as u16).to_le_bytes());
        h.extend((if self.format < 6 { n as u32 } else { 0 }).to_le_bytes());
        // Numbers that nobody would compute must come back too.
        (0..5u32).for_each(|k| h.extend((k + 70).to_le_bytes()));
        self.scale.iter().chain(&self.offset).for_each(|x| h.extend(x.to_le_bytes()));
        (0..6).for_each(|k| h.extend((f64::from(k) + 0.5).to_le_bytes()));
        let place =
            |k: usize| (end + self.evlrs[..k].iter().map(|v| 60 + v.2.len()).sum::<usize>()) as u64;
        if self.minor >= 3 {
            h.extend(self.waves.map_or(0, place).to_le_bytes());
        }
        if self.minor >= 4 {
            let some = !self.evlrs.is_empty();
            h.extend((if some { place(0) } else { 0 }).to_le_bytes());
            h.extend((self.evlrs.len() as u32).to_le_bytes());
            h.extend((n as u64).to_le_bytes());
            (0..15u64).for_each(|k| h.extend((k + 90).to_le_bytes()));
        }
        h.extend(&self.padding);
        assert_eq!(h.len(), size);
        h
    }
}
