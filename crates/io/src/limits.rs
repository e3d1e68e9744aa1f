//! Caps on what a file may ask for, far above what real files hold.

/// Longest header in bytes.
pub const HEADER_BYTES: usize = 1 << 20;
/// Longest line in bytes.
pub const LINE_BYTES: usize = 1 << 20;
/// Most elements (kinds of record) in one file.
pub const ELEMENTS: usize = 1024;
/// Most properties or columns of one kind of record.
pub const COLUMNS: usize = 1024;
/// Most points in one cloud: their indices are 32-bit.
pub const POINTS: usize = u32::MAX as usize - 1;
/// Compressed points may take this many times their bytes in the file …
pub const INFLATION: usize = 1000;
/// … and this many bytes more.
pub const INFLATED_BYTES: usize = 1 << 25;
