//! Files made to hurt, each with what its message must say. Bytes only, so that the tests of the
//! program use them too.

#[path = "hostile_scans.rs"]
pub mod scans;

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
    all.extend(scans::las(&sound.las));
    all.extend(scans::laz(&sound.laz));
    all.extend(scans::e57(&sound.e57));
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
        hostile(
            "many-properties.ply",
            head("ascii", &format!("{}{}", vertices("0"), "property char a\n".repeat(10_000))),
            &["line", "more than 1024"],
        ),
        hostile("long-header.ply", head("ascii", &long), &["line", "no \"end_header\""]),
    ]
}

fn texts() -> Vec<Hostile> {
    let long = format!("1 2 3\n{}\n", "9".repeat(3 << 20));
    vec![
        hostile("comments.xyz", "#\n".repeat(3 << 20) + "1 2 3\n", &["line", "of comments"]),
        hostile("comments.obj", "#\n".repeat(3 << 20) + "v 1 2 3\n", &["line", "of comments"]),
        hostile("long-line.xyz", long.as_str(), &["line", "bytes"]),
        hostile("count-lies.pts", "4000000000\n1 2 3\n", &["line", "4000000000 points"]),
        hostile("twice-the-column.csv", "x,y,z,x\n1,2,3,4\n", &["line", "two columns"]),
        hostile(
            "many-columns.csv",
            format!("x,y,z{}\n1,2,3{}\n", ",a".repeat(10_000), ",0".repeat(10_000)),
            &["line 1", "more than 1024 columns"],
        ),
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
        hostile(
            "many-fields.pcd",
            head(&format!("x y z{}", " a".repeat(10_000)), "0", "ascii"),
            &["line 2", "more than 1024 fields"],
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

/// An archive whose files are all the same bytes: a long header each.
fn shared(files: usize) -> Vec<u8> {
    let plain = npy("'<f8'", &format!("({}3)", "1,".repeat(30_000)), &[]);
    let mut out = zip(0, &plain, plain.len());
    let at = out.windows(4).position(|w| w == b"PK\x01\x02").unwrap_or(0);
    let end = out.len() - 22;
    let entry = out[at..end].to_vec();
    out.splice(at..end, entry.repeat(files));
    let at = out.len() - 22;
    let count = (files as u16).to_le_bytes();
    out[at + 8..at + 12].copy_from_slice(&[count, count].concat());
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
        hostile(
            "many-fields.npy",
            npy(&format!("[{}]", "('x','u1'),".repeat(4000)), "(0,)", &[]),
            &["byte", "more than 1024 fields"],
        ),
        hostile(
            "wide-fields.npy",
            npy(&format!("[{}]", "('a','u1',60000),".repeat(1000)), "(0,)", &[]),
            &["byte", "more than 131072 values"],
        ),
        hostile(
            "wide-points.npy",
            npy("[('xyz','u1',60000),('xyz','u1',60000)]", "(0,)", &[]),
            &["byte", "60000 columns"],
        ),
        hostile("shared-bytes.npz", shared(1000), &["byte", "share their bytes"]),
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
