//! Caps on what a file may ask for, far above what real files hold.

/// Longest header in bytes.
pub const HEADER_BYTES: usize = 1 << 20;
/// Longest stream in bytes; a file can be longer.
pub const STREAM_BYTES: usize = 1 << 31;
/// Longest line in bytes.
pub const LINE_BYTES: usize = 1 << 20;
/// Most elements (kinds of record) in one file.
pub const ELEMENTS: usize = 1024;
/// Most properties or columns of one kind of record.
pub const COLUMNS: usize = 1024;
/// Most values of one point, where columns hold several; descriptors have up to a few thousand.
pub const VALUES: usize = 1 << 17;
/// Most points in one cloud: their indices are 32-bit.
pub const POINTS: usize = u32::MAX as usize - 1;

/// How much memory a file whose content is compressed may take.
///
/// A file of plain numbers takes a few times its size at most. A compressed one (LAZ, NPZ,
/// compressed PCD, and E57, which stores what is constant in no bits at all) says how much it
/// holds; that is compared with these limits before room is made. Compressed points of real
/// scans take about twenty times their size in the file.
///
/// ```
/// use pellucid_io::{Format, Limits, read_bytes_with};
///
/// // Nothing at all may be unpacked.
/// let strict = Limits { memory: 0, inflation: 0 };
/// let text = b"1 2 3\n4 5 6\n";
/// assert!(read_bytes_with(text, Format::Text, "a.xyz", &strict).is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory for any file …
    pub memory: usize,
    /// … and for each of its bytes.
    pub inflation: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { memory: 32 << 20, inflation: 256 }
    }
}

impl Limits {
    /// No limits but the memory there is, for files from a source that can be trusted.
    pub const NONE: Limits = Limits { memory: usize::MAX, inflation: 0 };

    /// The most memory for a file of this size.
    pub fn most(&self, file: usize) -> usize {
        self.memory.saturating_add(self.inflation.saturating_mul(file))
    }

    /// What to say if `needed` bytes are more than a file of `file` bytes may take.
    pub(crate) fn check(&self, file: usize, needed: usize) -> Result<(), String> {
        let most = self.most(file);
        if needed <= most {
            return Ok(());
        }
        Err(format!(
            "{file} bytes promise content that would take {needed} bytes of memory, and the limit \
             is {most}; a count is wrong, or the file is made to exhaust memory"
        ))
    }
}

/// What to say of a comment that starts at this byte and still belongs to the header: each is kept, and
/// takes many times its size.
pub(crate) fn check_comments(at: usize) -> Result<(), String> {
    if at <= HEADER_BYTES {
        return Ok(());
    }
    Err(format!("more than {HEADER_BYTES} bytes of comments before the first point; delete some"))
}
