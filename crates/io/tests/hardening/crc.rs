//! The checksums of E57's pages, made right again: else every changed byte ends at them.

const PAGE: usize = 1024;

/// Puts the right checksum at the end of every page.
pub fn mend_e57(bytes: &mut [u8]) {
    for page in bytes.chunks_exact_mut(PAGE) {
        let sum = crc32c(&page[..PAGE - 4]);
        page[PAGE - 4..].copy_from_slice(&sum.to_be_bytes());
    }
}

/// CRC-32C (Castagnoli), byte by byte through a table.
fn crc32c(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut i = 0;
        while i < 256 {
            let mut c = i as u32;
            let mut k = 0;
            while k < 8 {
                c = if c & 1 != 0 { 0x82f6_3b78 ^ (c >> 1) } else { c >> 1 };
                k += 1;
            }
            table[i] = c;
            i += 1;
        }
        table
    };
    !bytes.iter().fold(!0u32, |c, &b| TABLE[((c ^ u32::from(b)) & 255) as usize] ^ (c >> 8))
}
