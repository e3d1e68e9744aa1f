//! Files that are compressed as a whole: read, written, and refused.

use std::io::Write;
use std::path::Path;

use flate2::write::GzEncoder;
use pellucid_cloud::{Attribute, PointCloud, Values};
use pellucid_io::{
    Compression, Document, Format, Limits, PieceFile, WriteOptions, read, read_bytes, read_mesh,
    read_stream, read_with, write, write_bytes,
};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

const TEXT: &[u8] = b"x,y,z,quality\n1,2,3,7\n4,5,6,8\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

fn cloud() -> PointCloud {
    let at = |i: usize| [1.0 + i as f64 * 0.25, (i % 7) as f64, (i * i % 11) as f64];
    let mut cloud = PointCloud::new((0..500).map(at).collect());
    let quality = Values::U8((0..500).map(|i| (i % 250) as u8).collect());
    cloud.set_attribute(Attribute::scalar("quality", quality)).unwrap();
    cloud
}

fn fault(path: &Path) -> String {
    read(path).unwrap_err().to_string()
}

#[test]
fn every_format_is_written_and_read_compressed() {
    let folder = tempfile::tempdir().unwrap();
    let document = Document::from(cloud());
    let options = WriteOptions::default();
    // Triangles are not points.
    for info in Format::all().iter().filter(|i| i.format != Format::Stl) {
        let extension = info.extensions[0];
        let plain = folder.path().join(format!("a.{extension}"));
        write(&plain, &document, &options).unwrap();
        let expected = read(&plain).unwrap().cloud;
        for packed in ["gz", "zst", "GZ"] {
            let path = folder.path().join(format!("a.{extension}.{packed}"));
            write(&path, &document, &options).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            assert_eq!(Compression::from_content(&bytes), Compression::from_path(&path));
            let found = read(&path).unwrap();
            assert_eq!(found.cloud.positions(), expected.positions(), "{path:?}");
            let same = |a: &Attribute| expected.attribute(a.name()).unwrap().values() == a.values();
            assert!(found.cloud.attributes().all(same), "{path:?}");
            assert_eq!(found.source.format(), Some(info.format));
        }
    }
}

#[test]
fn the_same_cloud_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    for packed in ["gz", "zst"] {
        let bytes = ["one", "two"].map(|name| {
            let path = folder.path().join(format!("{name}.ply.{packed}"));
            write(&path, &Document::from(cloud()), &WriteOptions::default()).unwrap();
            std::fs::read(path).unwrap()
        });
        assert_eq!(bytes[0], bytes[1]);
    }
}

#[test]
fn a_csv_keeps_its_style_when_it_is_written_back() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (folder.path().join("a.csv.gz"), folder.path().join("b.csv.gz"));
    std::fs::write(&path, gzip(TEXT)).unwrap();
    write(&out, &read(&path).unwrap(), &WriteOptions::default()).unwrap();
    let mut plain = Vec::new();
    let bytes = std::fs::read(out).unwrap();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&bytes[..]), &mut plain).unwrap();
    assert_eq!(plain, TEXT);
}

#[test]
fn parts_one_after_the_other_are_one_file() {
    let (a, b) = TEXT.split_at(20);
    // A frame to be skipped: magic number, length, content.
    let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    let zstd = [zstd(a), skipped, zstd(b)].concat();
    for bytes in [[gzip(a), gzip(b)].concat(), zstd] {
        let found = read_bytes(&bytes, Format::Text, "a").unwrap();
        assert_eq!(found.cloud.positions(), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    }
}

#[test]
fn streams_are_unpacked_by_their_content() {
    for bytes in [gzip(TEXT), zstd(TEXT)] {
        assert_eq!(read_stream(&mut &bytes[..], "stdin", None).unwrap().cloud.len(), 2);
    }
}

#[test]
fn meshes_may_be_compressed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.off.gz");
    std::fs::write(&path, gzip(b"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")).unwrap();
    assert_eq!(read_mesh(&path).unwrap().triangles.len(), 1);
}

#[test]
fn damaged_and_short_files_are_refused() {
    let plain =
        write_bytes(&Document::from(cloud()), Format::Ply, &WriteOptions::default()).unwrap();
    for bytes in [gzip(&plain), zstd(&plain)] {
        for end in [5, 12, bytes.len() / 2, bytes.len() - 1] {
            let error = read_bytes(&bytes[..end], Format::Ply, "a.ply.gz").unwrap_err();
            let text = error.to_string();
            assert!(text.contains("compressed") || text.contains("PLY"), "{end}: {text}");
        }
        let mut damaged = bytes.clone();
        // In the checksum, the last four bytes of a zstd frame, the last but four of gzip.
        let at = bytes.len() - if bytes[0] == 0x1f { 6 } else { 2 };
        damaged[at] ^= 1;
        let error = read_bytes(&damaged, Format::Ply, "a").unwrap_err().to_string();
        assert!(error.contains("broken") || error.contains("checksum"), "{error}");
        let garbage = [&bytes[..], b"garbage"].concat();
        assert!(read_bytes(&garbage, Format::Ply, "a").is_err());
    }
}

#[test]
fn bombs_are_refused_before_they_are_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let zeros = vec![b'0'; 64 << 20];
    let limits = Limits { memory: 1 << 20, inflation: 8 };
    for (name, bytes) in [("a.xyz.gz", gzip(&zeros)), ("a.xyz.zst", zstd(&zeros))] {
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes).unwrap();
        let error = read_with(&path, &limits).unwrap_err().to_string();
        assert!(error.contains("limit of what is unpacked"), "{error}");
    }
    // A window of a terabyte, whatever follows.
    let wide = [&[0x28, 0xb5, 0x2f, 0xfd, 0, 30 << 3][..], &[0; 16]].concat();
    let error = read_bytes(&wide, Format::Ply, "a").unwrap_err().to_string();
    assert!(error.contains("limit of what is unpacked"), "{error}");
}

#[test]
fn names_and_content_must_agree() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let plain = fault(&put("a.csv.gz", TEXT));
    assert!(plain.contains("the name says gzip") && plain.contains("without .gz"), "{plain}");
    let packed = fault(&put("b.csv", &zstd(TEXT)));
    assert!(packed.contains("rename it to b.csv.zst"), "{packed}");
    let other = fault(&put("c.csv.gz", &zstd(TEXT)));
    assert!(other.contains("rename it to c.csv.zst"), "{other}");
    let twice = fault(&put("d.csv.gz", &gzip(&zstd(TEXT))));
    assert!(twice.contains("compressed twice"), "{twice}");
    let nothing = fault(&put("e.csv.gz", &gzip(b"")));
    assert!(nothing.contains("nothing in the compressed file"), "{nothing}");
}

#[test]
fn compressed_files_are_not_gone_through_in_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ply.gz");
    let document = Document::from(cloud());
    write(&path, &document, &WriteOptions::default()).unwrap();
    let error = PieceFile::open(&path).err().unwrap().to_string();
    assert!(error.contains("unpack it first"), "{error}");
    let plain = folder.path().join("a.ply");
    write(&plain, &document, &WriteOptions::default()).unwrap();
    let file = PieceFile::open(&plain).unwrap();
    assert!(file.check_output("b.ply.zst".as_ref()).is_err());
    assert_eq!(file.check_output("b.ply".as_ref()).unwrap(), Format::Ply);
}
