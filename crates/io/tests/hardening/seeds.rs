//! Small files of every format, made by our own writers: where fuzzing and replay start.

use std::io::Cursor;

use pellucid_cloud::{Attribute, PointCloud, Values};
use pellucid_io::{Document, Encoding, Format, WriteOptions, read_bytes, write_bytes};

/// A reader to attack: its name and format.
pub const TARGETS: &[(&str, Format)] = &[
    ("ply", Format::Ply),
    ("text", Format::Text),
    ("las", Format::Las),
    ("laz", Format::Laz),
    ("copc", Format::Laz),
    ("e57", Format::E57),
    ("pcd", Format::Pcd),
    ("obj", Format::Obj),
    ("off", Format::Off),
    ("stl", Format::Stl),
    ("ptx", Format::Ptx),
    ("npy", Format::Npy),
    ("npz", Format::Npz),
];

/// The seeds of a target.
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    match target {
        "ply" => [
            all(Format::Ply, &[Encoding::Ascii, Encoding::BinaryLittle, Encoding::BinaryBig]),
            vec![MESH.as_bytes().to_vec(), binary_mesh()],
        ]
        .concat(),
        "text" => {
            let mut seeds = all(Format::Text, &[Encoding::Ascii]);
            seeds.extend(TEXTS.iter().map(|t| t.as_bytes().to_vec()));
            seeds
        }
        "las" => {
            let mut seeds = all(Format::Las, &[Encoding::BinaryLittle]);
            seeds.extend(las_formats());
            seeds
        }
        "laz" => {
            let mut seeds = all(Format::Laz, &[Encoding::BinaryLittle]);
            for las in las_formats() {
                let document = read_bytes(&las, Format::Las, "seed").unwrap();
                seeds.push(written(&document, Format::Laz, Encoding::BinaryLittle));
            }
            seeds
        }
        "copc" => vec![copc(1), copc(40)],
        "e57" => all(Format::E57, &[Encoding::BinaryLittle]),
        "pcd" => {
            let mut seeds = all(Format::Pcd, &[Encoding::Ascii, Encoding::BinaryLittle]);
            // Only a file that was compressed is written compressed.
            let pcd = b"VERSION 0.7\nFIELDS x y z rgb label\nSIZE 4 8 4 4 2\nTYPE F F F U I\n\
                COUNT 1 1 1 1 3\nWIDTH 2\nHEIGHT 0\nVIEWPOINT 1 2 3 1 0 0 0\nPOINTS 0\n\
                DATA binary_compressed\n\0\0\0\0\0\0\0\0";
            let packed = String::from_utf8_lossy(pcd).replace("WIDTH 2", "WIDTH 0");
            let mut document = read_bytes(packed.as_bytes(), Format::Pcd, "seed").unwrap();
            document.cloud = cloud(20, 1);
            seeds.push(written(&document, Format::Pcd, Encoding::BinaryLittle));
            seeds
        }
        "obj" => meshes(Format::Obj, &[Encoding::Ascii]),
        "off" => meshes(Format::Off, &[Encoding::Ascii]),
        "stl" => meshes(Format::Stl, &[Encoding::Ascii, Encoding::BinaryLittle]),
        "ptx" => {
            let mut seeds = all(Format::Ptx, &[Encoding::Ascii]);
            // Two scans.
            seeds.push([seeds[0].as_slice(), seeds[1].as_slice()].concat());
            seeds
        }
        "npy" => {
            let mut seeds = all(Format::Npy, &[Encoding::BinaryLittle]);
            seeds.push(npy("'>f4'", "True", "(4, 3)", &[1; 48]));
            seeds.push(npy("'|u1'", "False", "(2, 2, 4)", &[7; 16]));
            seeds
        }
        "npz" => {
            let mut seeds = all(Format::Npz, &[Encoding::BinaryLittle]);
            seeds.push(include_bytes!("../data/numpy.npz").to_vec());
            seeds
        }
        other => panic!("no target {other}"),
    }
}

const MESH: &str = "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 4\n\
    property float x\nproperty float y\nproperty float z\nproperty list uchar short near\n\
    element face 2\nproperty list uchar int vertex_indices\nproperty uchar kind\nend_header\n\
    0 0 0 2 1 -2\n1 0 0 0\n1 1 0.5 1 7\n0 1 1e3 0\n3 0 1 2 5\n3 0 2 3 6\n";

const TEXTS: &[&str] = &[
    "3\n1 2 3 -1200 10 20 30\n4 5 6 0 0 0 0\n7 8 9 100 255 255 255\n",
    "x;y;z;class;name\n1;2;3;4;wall\n5.5;6e3;-7;8;a b\n",
    "# a comment\n//X,Y,Z,nx,ny,nz\n1,2,3,0,0,1\n4,5,6,1,0,0\n",
    "0.5 0.25 0.125 0 0 1 255 0 7\n1 2 3 1 0 0 1 2 3\n",
];

/// A cloud with columns of kind `kind`.
pub fn cloud(n: usize, kind: usize) -> PointCloud {
    let at = |i: usize| {
        let t = i as f64;
        [(t * 0.37).sin() * 10.0, (t * 0.11).cos() * 7.5, t * 0.125]
    };
    let mut cloud = PointCloud::new((0..n).map(at).collect());
    let mut set = |a: Attribute| cloud.set_attribute(a).unwrap();
    let byte = |i: usize| (i * 37 + 11) as u8;
    if kind >= 1 {
        set(Attribute::vector("color", 3, Values::U8((0..3 * n).map(byte).collect())));
        let up = |i: usize| if i % 3 == 2 { 1.0 } else { 0.0 };
        set(Attribute::vector("normal", 3, Values::F32((0..3 * n).map(up).collect())));
        set(Attribute::scalar("intensity", Values::U16((0..n).map(|i| i as u16 * 99).collect())));
    }
    if kind >= 2 {
        set(Attribute::scalar("classification", Values::U8((0..n).map(byte).collect())));
        let time = |i: usize| 1e8 + i as f64 / 3.0;
        set(Attribute::scalar("time", Values::F64((0..n).map(time).collect())));
        let wide = |i: usize| i as i64 * 0x1234_5678_9abc;
        set(Attribute::scalar("number", Values::I64((0..n).map(wide).collect())));
        set(Attribute::vector("pair", 2, Values::I32((0..2 * n).map(|i| -(i as i32)).collect())));
    }
    cloud
}

/// A document as a file.
pub fn written(document: &Document, format: Format, encoding: Encoding) -> Vec<u8> {
    let options = WriteOptions { encoding: Some(encoding), ..Default::default() };
    write_bytes(document, format, &options).unwrap()
}

/// Clouds of several kinds and sizes in a format.
fn all(format: Format, encodings: &[Encoding]) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for &encoding in encodings {
        for (n, kind) in [(3, 0), (7, 1), (20, 2)] {
            seeds.push(written(&Document::from(cloud(n, kind)), format, encoding));
        }
    }
    seeds
}

fn mesh() -> Document {
    read_bytes(MESH.as_bytes(), Format::Ply, "seed").unwrap()
}

fn binary_mesh() -> Vec<u8> {
    written(&mesh(), Format::Ply, Encoding::BinaryBig)
}

fn meshes(format: Format, encodings: &[Encoding]) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for &encoding in encodings {
        seeds.push(written(&mesh(), format, encoding));
        if format != Format::Stl {
            seeds.push(written(&Document::from(cloud(7, 1)), format, encoding));
        }
    }
    if format == Format::Obj {
        seeds.push(
            b"mtllib a.mtl\nv 1 2 3 0.5 0.25 1\nv 0 0 1 1 1 1\nv 0 1 0 0 0 0\nvn 0 0 1\n\
            f -1//1 -2//1 -3//1\n"
                .to_vec(),
        );
    }
    if format == Format::Off {
        seeds.push(
            b"CNOFF 3 1 0\n0 0 0 0 0 1 255 0 0 255\n1 0 0 0 0 1 0 255 0 255\n\
            0 1 0 0 0 1 0 0 255 255\n3 0 1 2\n"
                .to_vec(),
        );
    }
    seeds
}

/// An array as NumPy would write it.
pub fn npy(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut head =
        format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    while (10 + head.len()) % 16 != 0 {
        head.insert(head.len() - 1, ' ');
    }
    let mut out = b"\x93NUMPY\x01\0".to_vec();
    out.extend((head.len() as u16).to_le_bytes());
    out.extend(head.as_bytes());
    out.extend(data);
    out
}

/// One plain file of each point format, out of a header of our own writer.
fn las_formats() -> Vec<Vec<u8>> {
    const LENGTHS: [usize; 11] = [20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67];
    let base = written(&Document::from(cloud(1, 0)), Format::Las, Encoding::BinaryLittle);
    let start = u32::from_le_bytes(base[96..100].try_into().unwrap()) as usize;
    let points = 5u32;
    let file = |(format, length): (usize, &usize)| {
        let mut out = base[..start].to_vec();
        out[104] = format as u8;
        out[105..107].copy_from_slice(&(*length as u16).to_le_bytes());
        out[107..111].copy_from_slice(&(if format < 6 { points } else { 0 }).to_le_bytes());
        out[247..255].copy_from_slice(&u64::from(points).to_le_bytes());
        for k in 0..points as usize * length {
            // Near numbers, as real files have.
            out.push(if k % length % 4 == 0 { (k / length) as u8 } else { 0 });
        }
        out
    };
    LENGTHS.iter().enumerate().map(file).collect()
}

/// A cloud-optimized file: LAZ with chunks of different sizes, an info record and a hierarchy.
fn copc(n: usize) -> Vec<u8> {
    use laz::{LasZipCompressor, LazItemRecordBuilder, LazVlrBuilder};
    let plain = written(&Document::from(cloud(n, 0)), Format::Las, Encoding::BinaryLittle);
    let number = |at: usize| u32::from_le_bytes(plain[at..at + 4].try_into().unwrap()) as usize;
    let (start, length) = (number(96), usize::from(u16::from_le_bytes([plain[105], plain[106]])));
    let format = plain[104];
    let raw = &plain[start..start + n * length];
    let items = LazItemRecordBuilder::default_for_point_format_id(format, 0).unwrap();
    let vlr = LazVlrBuilder::new(items).with_variable_chunk_size().build();
    let mut laszip = Vec::new();
    vlr.write_to(&mut laszip).unwrap();

    let mut out = plain[..375].to_vec();
    let record = |out: &mut Vec<u8>, user: &str, id: u16, data: &[u8], extended: bool| {
        out.extend([0; 2]);
        let mut name = user.as_bytes().to_vec();
        name.resize(16, 0);
        out.extend(name);
        out.extend(id.to_le_bytes());
        match extended {
            true => out.extend((data.len() as u64).to_le_bytes()),
            false => out.extend((data.len() as u16).to_le_bytes()),
        }
        out.extend([0; 32]);
        out.extend(data);
    };
    record(&mut out, "copc", 1, &[0; 160], false);
    record(&mut out, "laszip encoded", 22204, &laszip, false);
    let points = out.len() as u32;
    out[96..100].copy_from_slice(&points.to_le_bytes());
    out[100..104].copy_from_slice(&2u32.to_le_bytes());
    out[104] = format | 0x80;
    let mut sink = Cursor::new(out);
    sink.set_position(u64::from(points));
    let mut packer = LasZipCompressor::new(&mut sink, vlr).unwrap();
    for (i, part) in raw.chunks(17 * length).enumerate() {
        if i > 0 {
            packer.finish_current_chunk().unwrap();
        }
        packer.compress_many(part).unwrap();
    }
    packer.done().unwrap();
    drop(packer);
    let mut out = sink.into_inner();
    let evlrs = out.len() as u64;
    out[235..243].copy_from_slice(&evlrs.to_le_bytes());
    out[243..247].copy_from_slice(&1u32.to_le_bytes());
    record(&mut out, "copc", 1000, &[0; 32], true);
    out
}
