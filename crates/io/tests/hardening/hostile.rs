//! Files made to hurt, each with what its message must say. Bytes only, so that the tests of the
//! program use them too.

use super::crc::mend_e57;

/// A file, and words of the message that it must get.
pub struct Hostile {
    /// What it is, as a file name with the extension of its format.
    pub file: &'static str,
    pub bytes: Vec<u8>,
    /// Besides the file's name.
    pub says: &'static [&'static str],
}

/// Sound files to spoil.
pub struct Sound {
    /// Plain, LAS 1.4, without records before the points.
    pub las: Vec<u8>,
    /// The same, compressed.
    pub laz: Vec<u8>,
    pub e57: Vec<u8>,
}

/// All of them.
pub fn all(sound: &Sound) -> Vec<Hostile> {
    let mut all = Vec::new();
    all.extend(ply());
    all.extend(texts());
    all.extend(pcd());
    all.extend(arrays());
    all.extend(las(&sound.las));
    all.extend(laz(&sound.laz));
    all.extend(e57(&sound.e57));
    all
}

fn hostile(
    file: &'static str,
    bytes: impl Into<Vec<u8>>,
    says: &'static [&'static str],
) -> Hostile {
    Hostile { file, bytes: bytes.into(), says }
}

fn ply() -> Vec<Hostile> {
    let xyz = "property float x\nproperty float y\nproperty float z\n";
    let head = |format: &str, body: &str| format!("ply\nformat {format} 1.0\n{body}end_header\n");
    let little = "binary_little_endian";
    let with = |head: String, data: &[u8]| [head.as_bytes(), data].concat();
    let faces = |count: &str, data: &[u8]| {
        let body = format!(
            "element vertex 1\n{xyz}element face 1\nproperty list {count} int vertex_indices\n"
        );
        with(head(little, &body), &[&[0; 12], data].concat())
    };
    let vertices = |n: &str| format!("element vertex {n}\n{xyz}");
    let long = format!("comment {}\n", "x".repeat(2 << 20));
    let mut lie = faces("uint", &[3u32.to_le_bytes(), [0; 4], [0; 4], [0; 4]].concat());
    let at = lie.windows(6).position(|w| w == b"little").unwrap_or(0);
    lie.splice(at..at + 6, *b"big");
    vec![
        hostile(
            "absurd-count.ply",
            with(head(little, &vertices("4000000000")), &[0; 24]),
            &["byte", "promises 4000000000"],
        ),
        hostile(
            "overflowing-count.ply",
            with(head(little, &vertices("18446744073709551615")), &[0; 24]),
            &["byte", "promises"],
        ),
        hostile("negative-list.ply", faces("char", &[0xff]), &["byte", "a list of -1 values"]),
        hostile("endless-list.ply", faces("uint", &[0xff; 4]), &["byte", "the file ends"]),
        hostile("endian-lie.ply", lie, &["byte", "the file ends"]),
        hostile(
            "missing-field.ply",
            head("ascii", "element vertex 1\nproperty float x\nproperty float y\n") + "1 2\n",
            &["line", "x, y and z"],
        ),
        hostile(
            "twice-the-field.ply",
            head("ascii", &format!("element vertex 1\n{xyz}property float x\n")) + "1 2 3 4\n",
            &["line", "two properties \"x\""],
        ),
        hostile(
            "nothing-often.ply",
            head("ascii", &format!("{}element ghost 4000000000\n", vertices("0"))),
            &["line", "4000000000 \"ghost\" records without properties"],
        ),
        hostile("long-header.ply", head("ascii", &long), &["line", "no \"end_header\""]),
    ]
}

fn texts() -> Vec<Hostile> {
    let long = format!("1 2 3\n{}\n", "9".repeat(3 << 20));
    vec![
        hostile("long-line.xyz", long.as_str(), &["line", "bytes"]),
        hostile("count-lies.pts", "4000000000\n1 2 3\n", &["line", "4000000000 points"]),
        hostile("twice-the-column.csv", "x,y,z,x\n1,2,3,4\n", &["line", "two columns"]),
        hostile("binary.xyz", [0u8; 64], &["byte 0", "not text"]),
        hostile("no-such-vertex.obj", "v 0 0 0\nf 1 2 3\n", &["line 2", "vertex 2"]),
        hostile(
            "index-overflow.obj",
            "v 0 0 0\nf -9223372036854775808 1 1\n",
            &["line 2", "face 0"],
        ),
        hostile("long-line.obj", long.replace("1 2 3", "v 1 2 3"), &["line 2", "bytes"]),
        hostile("absurd-count.off", "OFF\n4000000000 1 0\n0 0 0\n", &["line 2", "do not fit"]),
        hostile("negative-list.off", "OFF\n1 1 0\n0 0 0\n-3 0 0 0\n", &["line 4", "corners"]),
        hostile(
            "endless-list.off",
            "OFF\n1 1 0\n0 0 0\n4000000000 0\n",
            &["line 4", "4000000000 corners"],
        ),
        hostile(
            "absurd-count.stl",
            [[b' '; 80].as_slice(), &[0xff; 4], &[0; 50]].concat(),
            &["byte 80", "promises 4294967295 facets"],
        ),
        hostile(
            "open-facet.stl",
            "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n",
            &["line 4", "inside a facet"],
        ),
        hostile(
            "absurd-count.ptx",
            "4000000000\n4000000000\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 0 0 0\n0 1 0 0\n0 0 1 0\n\
             0 0 0 1\n1 2 3 0.5\n",
            &["line 2", "do not fit"],
        ),
    ]
}

fn pcd() -> Vec<Hostile> {
    let head = |fields: &str, n: &str, data: &str| {
        let each = |word: &str| vec![word; fields.split(' ').count()].join(" ");
        format!(
            "VERSION 0.7\nFIELDS {fields}\nSIZE {}\nTYPE {}\nCOUNT {}\nWIDTH {n}\nHEIGHT 1\n\
             POINTS {n}\nDATA {data}\n",
            each("1"),
            each("U"),
            each("1")
        )
    };
    let zeros = 30_000usize;
    // A literal zero, then copies of it, 264 bytes each.
    let mut packed = vec![0, 0];
    packed.extend([0xe0, 0xff, 0].repeat(zeros));
    let size = 1 + 264 * zeros;
    let points = size / 3;
    let mut bomb = head("x y z", &points.to_string(), "binary_compressed").into_bytes();
    bomb.extend((packed.len() as u32).to_le_bytes());
    bomb.extend((3 * points as u32).to_le_bytes());
    bomb.extend(packed);
    let short = head("x y z", "2", "binary_compressed");
    let lies = [short.as_bytes(), &2u32.to_le_bytes(), &6u32.to_le_bytes(), &[0, 0]].concat();
    vec![
        hostile(
            "absurd-count.pcd",
            head("x y z", "4294967290", "binary") + "123456",
            &["byte", "promises 4294967290"],
        ),
        hostile("missing-field.pcd", head("x y", "1", "ascii") + "1 2\n", &["line", "x, y and z"]),
        hostile(
            "twice-the-field.pcd",
            head("x y z x", "1", "ascii") + "1 2 3 4\n",
            &["line", "two fields \"x\""],
        ),
        hostile(
            "twice-the-line.pcd",
            "FIELDS x y z\nFIELDS x y z\n",
            &["line 2", "a second line \"FIELDS\""],
        ),
        hostile("bomb.pcd", bomb, &["byte", "memory"]),
        hostile("short-copy.pcd", lies, &["byte", "less than it promises"]),
    ]
}

fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let head = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = (head.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\0", length.as_slice(), head.as_bytes(), data].concat()
}

/// An archive of one file.
fn zip(method: u16, packed: &[u8], size: usize) -> Vec<u8> {
    let name = b"points.npy";
    let mut common = vec![20, 0, 0, 0];
    common.extend(method.to_le_bytes());
    common.extend([0; 4]);
    common.extend([0; 4]);
    common.extend((packed.len() as u32).to_le_bytes());
    common.extend((size as u32).to_le_bytes());
    common.extend((name.len() as u16).to_le_bytes());
    common.extend([0; 2]);
    let mut out = [b"PK\x03\x04", common.as_slice(), name, packed].concat();
    let list = out.len() as u32;
    out.extend(b"PK\x01\x02\x14\0");
    out.extend(&common);
    out.extend([0; 14]);
    out.extend(name);
    let length = out.len() as u32 - list;
    out.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    out.extend(length.to_le_bytes());
    out.extend(list.to_le_bytes());
    out.extend([0; 2]);
    out
}

/// Deflated: `head`, then `runs` times 258 zeros.
fn deflated(head: &[u8], runs: usize) -> Vec<u8> {
    // The head in a stored block.
    let length = head.len() as u16;
    let mut out = vec![0];
    out.extend(length.to_le_bytes());
    out.extend((!length).to_le_bytes());
    out.extend(head);
    // A block of fixed codes: the literal 0, then copies of the longest kind, one byte back.
    let (mut bits, mut n) = (0u64, 0);
    let mut put = |value: u64, width: usize, out: &mut Vec<u8>| {
        bits |= value << n;
        n += width;
        while n >= 8 {
            out.push(bits as u8);
            bits >>= 8;
            n -= 8;
        }
    };
    put(0b011, 3, &mut out);
    // Codes go in from their first bit: 00110000 is 0, 11000101 is a length of 258.
    put(0b0000_1100, 8, &mut out);
    for _ in 0..runs {
        put(0b1010_0011, 8, &mut out);
        put(0, 5, &mut out);
    }
    put(0, 7, &mut out);
    put(0, 7, &mut out);
    out
}

fn arrays() -> Vec<Hostile> {
    let runs = 40_000;
    let size = 1 + 258 * runs;
    let head = npy("'|u1'", &format!("({}, 3)", size / 3), &[]);
    let bomb = zip(8, &deflated(&head, runs), head.len() + size);
    let nested = npy(&"[".repeat(5000), "(1, 3)", &[0; 24]);
    vec![
        hostile(
            "absurd-count.npy",
            npy("'<f8'", "(4000000000, 3)", &[0; 24]),
            &["byte", "does not fit"],
        ),
        hostile(
            "overflowing-count.npy",
            npy("'<f8'", "(9223372036854775807, 9223372036854775807, 3)", &[0; 24]),
            &["byte", "does not fit"],
        ),
        hostile("negative-count.npy", npy("'<f8'", "(-1, 3)", &[0; 24]), &["byte", "no counts"]),
        hostile("nested.npy", nested, &["byte", "nested too deeply"]),
        hostile(
            "twice-the-field.npy",
            npy("[('x', '<f8'), ('y', '<f8'), ('z', '<f8'), ('x', '<f8')]", "(1,)", &[0; 32]),
            &["byte", "two fields \"x\""],
        ),
        hostile("bomb.npz", bomb, &["byte", "memory"]),
        hostile(
            "checksum.npz",
            {
                let plain = npy("'<f8'", "(1, 3)", &[0; 24]);
                zip(0, &plain, plain.len())
            },
            &["byte", "checksum is wrong"],
        ),
        hostile("cut.npz", b"PK\x03\x04 and no more".to_vec(), &["byte", "truncated"]),
    ]
}

fn patched(bytes: &[u8], at: usize, with: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    out[at..at + with.len()].copy_from_slice(with);
    out
}

fn number(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize
}

/// The file with a record before its points.
fn with_record(las: &[u8], user: &[u8], id: u16, data: &[u8]) -> Vec<u8> {
    let mut record = vec![0; 2];
    record.extend(user);
    record.resize(18, 0);
    record.extend(id.to_le_bytes());
    record.extend((data.len() as u16).to_le_bytes());
    record.resize(54, 0);
    record.extend(data);
    let mut out = las.to_vec();
    let size = usize::from(u16::from_le_bytes([las[94], las[95]]));
    out.splice(size..size, record.iter().copied());
    let start = (number(las, 96) + record.len()) as u32;
    let records = number(las, 100) as u32 + 1;
    out[96..100].copy_from_slice(&start.to_le_bytes());
    out[100..104].copy_from_slice(&records.to_le_bytes());
    out
}

fn las(good: &[u8]) -> Vec<Hostile> {
    let bad = |at: usize, with: &[u8]| patched(good, at, with);
    let nan = f64::NAN.to_le_bytes();
    let mut extra = vec![0; 192];
    // Eight bytes that the points do not have.
    (extra[2], extra[4]) = (10, b'e');
    vec![
        hostile("cut-header.las", &good[..100], &["byte 100", "truncated"]),
        hostile("absurd-count.las", bad(247, &[0xff, 0xff, 0xff, 0xfe]), &["byte 247", "promises"]),
        hostile("overflowing-count.las", bad(247, &[0xff; 8]), &["byte 247", "more than one"]),
        hostile("no-record-length.las", bad(105, &[0; 2]), &["byte 105", "records of 0 bytes"]),
        hostile("absurd-record-length.las", bad(105, &[0xff; 2]), &["byte", "promises"]),
        hostile("absurd-records.las", bad(100, &[0xff; 4]), &["byte 100", "4294967295 variable"]),
        hostile(
            "long-record.las",
            patched(&with_record(good, b"someone", 1, &[0; 8]), 375 + 20, &[0xff; 2]),
            &["byte 375", "65535 bytes"],
        ),
        hostile("nan-scale.las", bad(131, &nan), &["byte 131", "scale of x is NaN"]),
        hostile("no-scale.las", bad(139, &[0; 8]), &["byte 139", "scale of y is 0"]),
        hostile(
            "offset-overflow.las",
            patched(&bad(131, &1e300f64.to_le_bytes()), 155, &1e308f64.to_le_bytes()),
            &["byte 155", "out of all range"],
        ),
        hostile(
            "extra-bytes-overflow.las",
            with_record(good, b"LASF_Spec", 4, &extra),
            &["byte", "end at byte"],
        ),
        hostile(
            "records-after-the-end.las",
            patched(&bad(235, &[0xff; 8]), 243, &[1, 0, 0, 0]),
            &["byte 235", "records are said to start"],
        ),
        hostile("points-before-the-start.las", bad(96, &[0; 4]), &["byte 96", "start at byte 0"]),
        hostile("future.las", bad(24, &[7, 0]), &["byte 24", "version 7.0"]),
        hostile("endian-lie.las", bad(94, &[1, 0x77]), &["byte", "truncated"]),
    ]
}

fn laz(good: &[u8]) -> Vec<Hostile> {
    let bad = |at: usize, with: &[u8]| patched(good, at, with);
    let start = number(good, 96);
    let table = number(good, start);
    // Points of nearly 64 kB: the state of their decoder would take half a gigabyte.
    let mut wide = bad(105, &65_535u16.to_le_bytes());
    let items = start - 2 - 6;
    if let Some(at) = wide[375..start].windows(2).position(|w| w == 22204u16.to_le_bytes()) {
        let content = 375 + at + 36;
        let count = usize::from(wide[content + 32]);
        debug_assert!(count > 0 && items > content);
        // One more item: bytes in layers.
        let size = 65_535 - usize::from(u16::from_le_bytes([good[105], good[106]]));
        let item = [[14, 0], (size as u16).to_le_bytes(), [3, 0]].concat();
        wide.splice(start..start, item);
        wide[content + 32] += 1;
        let length = content - 34;
        let old = u16::from_le_bytes([wide[length], wide[length + 1]]);
        wide[length..length + 2].copy_from_slice(&(old + 6).to_le_bytes());
        wide[96..100].copy_from_slice(&(start as u32 + 6).to_le_bytes());
    }
    wide.resize(400_000, 0);
    vec![
        hostile("cut-chunk-table.laz", &good[..table + 4], &["byte", "chunk table"]),
        hostile("no-chunk-table.laz", &good[..table], &["byte", "chunk table"]),
        hostile("lost-chunk-table.laz", bad(start, &[0xff; 7]), &["byte", "chunk table"]),
        hostile("absurd-chunks.laz", bad(table + 4, &[0xff; 4]), &["byte", "4294967295 chunks"]),
        hostile("absurd-count.laz", bad(247, &[0, 0, 0, 0xf0]), &["byte", "memory"]),
        hostile("damaged-chunk.laz", bad(start + 8 + 30, &[0xff; 4]), &["byte", "damaged"]),
        hostile("wide-decoder.laz", wide, &["byte", "memory"]),
        hostile("not-compressed.laz", bad(375 + 18, &[0; 2]), &["byte 104", "22204"]),
    ]
}

/// The file with another description, its pages and their checksums made anew.
pub fn with_xml(e57: &[u8], change: impl Fn(&str) -> String) -> Vec<u8> {
    const PAGE: usize = 1024;
    let mut plain: Vec<u8> = e57.chunks(PAGE).flat_map(|p| &p[..PAGE - 4]).copied().collect();
    let wide = |at: usize| number(e57, at);
    let at = wide(24) - wide(24) / PAGE * 4;
    let xml = String::from_utf8_lossy(&plain[at..at + wide(32)]).into_owned();
    let xml = change(&xml);
    plain.truncate(at);
    plain.extend(xml.as_bytes());
    let mut out = Vec::new();
    for page in plain.chunks(PAGE - 4) {
        out.extend(page);
        out.resize(out.len().next_multiple_of(PAGE), 0);
    }
    let size = out.len() as u64;
    out[16..24].copy_from_slice(&size.to_le_bytes());
    out[32..40].copy_from_slice(&(xml.len() as u64).to_le_bytes());
    mend_e57(&mut out);
    out
}

fn e57(good: &[u8]) -> Vec<Hostile> {
    let mended = |at: usize, with: &[u8]| {
        let mut out = patched(good, at, with);
        mend_e57(&mut out);
        out
    };
    let count = |xml: &str| {
        let at = xml.find("recordCount=\"").map_or(0, |i| i + 13);
        let end = xml[at..].find('"').map_or(at, |i| at + i);
        format!("{}4000000000{}", &xml[..at], &xml[end..])
    };
    let nested = |_: &str| "<e57Root>".to_owned() + &"<a>".repeat(100_000);
    let laughs = |xml: &str| {
        let start = xml.find("<e57Root").unwrap_or(0);
        format!("<!DOCTYPE a [<!ENTITY b \"bbbb\"><!ENTITY c \"&b;&b;&b;\">]>{}", &xml[start..])
    };
    vec![
        hostile("checksum.e57", patched(good, 200, &[0x55; 8]), &["byte", "checksum"]),
        hostile("cut.e57", &good[..good.len() - 500], &["byte", "truncated"]),
        hostile("no-pages.e57", mended(40, &[0; 8]), &["byte", "age size"]),
        hostile("absurd-description.e57", mended(32, &[0, 0, 0, 2]), &["byte 32", "XML"]),
        hostile("absurd-count.e57", with_xml(good, count), &["byte", "promises 4000000000 points"]),
        hostile("nested.e57", with_xml(good, nested), &["byte", "XML"]),
        hostile("entities.e57", with_xml(good, laughs), &["byte", "XML"]),
    ]
}
