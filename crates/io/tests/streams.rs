//! Pipes, and what is said to be left behind.

use pellucid_cloud::{Attribute, PointCloud, Values};
use pellucid_io::{
    Document, Format, IoError, WriteOptions, read_bytes, read_stream, write, write_bytes,
    write_stream,
};

/// What writing `document` as `format` leaves out.
fn left(document: &Document, format: &str) -> Vec<String> {
    let mut out = Vec::new();
    let options = WriteOptions::default();
    let written = write_stream(&mut out, "stdout", document, Some(format), &options).unwrap();
    assert!(!out.is_empty());
    written.dropped.iter().map(|d| format!("{}: {}", d.attribute, d.reason)).collect()
}

fn read(text: &str) -> Document {
    read_stream(&mut text.as_bytes(), "stdin", None).unwrap()
}

const MESH: &str = "ply\nformat ascii 1.0\ncomment made by hand\nelement vertex 3\nproperty float x\n\
    property float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\n\
    element edge 1\nproperty int a\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n7\n";

#[test]
fn streams_keep_the_format_and_its_style() {
    let csv = "x,y,z,who\n1,2,3,7\n4,5,6,8\n";
    let document = read_stream(&mut csv.as_bytes(), "stdin", Some("CSV")).unwrap();
    let mut out = Vec::new();
    let options = WriteOptions::default();
    write_stream(&mut out, "stdout", &document, None, &options).unwrap();
    assert_eq!(out, csv.as_bytes());
    let mut ply = Vec::new();
    write_stream(&mut ply, "stdout", &read(MESH), None, &options).unwrap();
    assert_eq!(ply, MESH.as_bytes());
}

#[test]
fn unknown_formats_are_explained() {
    let read = |bytes: &[u8], kind| read_stream(&mut &*bytes, "stdin", kind).unwrap_err();
    assert!(matches!(read(b"", None), IoError::Empty { .. }));
    assert!(matches!(read(b"\x00\x01\x02", None), IoError::UnknownStream { .. }));
    assert!(matches!(read(MESH.as_bytes(), Some("las")), IoError::WrongFormat { .. }));
    let fault = read(MESH.as_bytes(), Some("doc")).to_string();
    assert!(fault.contains("\"doc\"") && fault.contains("ply, pcd"), "{fault}");
    let memory = Document::from(PointCloud::new(vec![[0.0; 3]]));
    let options = WriteOptions::default();
    let fault = write_stream(&mut Vec::new(), "stdout", &memory, None, &options).unwrap_err();
    assert!(matches!(fault, IoError::UnknownStream { .. }));
}

#[test]
fn whatever_a_format_cannot_store_is_said() {
    let mesh = read(MESH);
    assert!(left(&mesh, "ply").is_empty());
    let las = left(&mesh, "las");
    for words in ["1 element \"face\"", "1 element \"edge\"", "1 comment:"] {
        assert!(las.iter().any(|l| l.starts_with(words)), "{words} is not in {las:?}");
    }
    // What is written is not said to be left out.
    let obj = left(&mesh, "obj");
    assert!(obj.len() == 1 && obj[0].starts_with("1 element \"edge\""), "{obj:?}");
    // Faces go along, the rest does not.
    let off = left(&mesh, "off");
    assert!(!off.iter().any(|l| l.contains("face")), "{off:?}");
    assert!(off.iter().any(|l| l.contains("edge")), "{off:?}");

    let obj = read("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\ng part\nf 1 2 3\n");
    let pcd = left(&obj, "pcd");
    assert!(pcd.iter().any(|l| l.starts_with("1 face:")), "{pcd:?}");
    assert!(pcd.iter().any(|l| l.starts_with("2 lines of texture")), "{pcd:?}");

    let pcd = "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 2\nHEIGHT 2\n\
               VIEWPOINT 1 2 3 1 0 0 0\nPOINTS 4\nDATA ascii\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n";
    let ply = left(&read(pcd), "ply");
    assert!(ply.iter().any(|l| l.starts_with("the grid of 2 x 2 points")), "{ply:?}");
    assert!(ply.iter().any(|l| l.starts_with("the viewpoint")), "{ply:?}");

    let ptx = "1\n2\n0 0 9\n1 0 0\n0 1 0\n0 0 1\n1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 9 1\n1 2 3 0.5\n\
               4 5 6 0.5\n";
    let ply = left(&read(ptx), "ply");
    assert!(ply.iter().any(|l| l.starts_with("the poses and grids of 1 scan")), "{ply:?}");
}

#[test]
fn e57_holds_attributes_of_any_name() {
    let mut cloud = PointCloud::new(vec![[0.0, 0.5, 1.0], [2.0, 3.0, 4.0]]);
    let normals = vec![[0.0, 0.0, 1.0], [0.6, 0.8, 0.0]];
    cloud.set_normals(&normals).unwrap();
    for a in [
        Attribute::scalar("outlier", Values::U8(vec![0, 1])),
        Attribute::scalar("2nd value", Values::F64(vec![0.1, f64::NAN])),
        Attribute::scalar("name", Values::Text(vec!["a".to_owned(), "b".to_owned()])),
    ] {
        cloud.set_attribute(a).unwrap();
    }
    let said = left(&Document::from(cloud.clone()), "e57");
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].contains("written as \"_2nd_value\""), "{said:?}");
    assert!(said[1].starts_with("name:"), "{said:?}");

    let options = WriteOptions::default();
    let bytes = write_bytes(&Document::from(cloud.clone()), Format::E57, &options).unwrap();
    let mut again = read_bytes(&bytes, Format::E57, "a.e57").unwrap();
    assert_eq!(again.cloud.positions(), cloud.positions());
    assert_eq!(again.cloud.attribute("outlier"), cloud.attribute("outlier"));
    assert_eq!(again.cloud.normals().unwrap(), normals);
    let odd = again.cloud.attribute("_2nd_value").unwrap().component(0).unwrap();
    assert!(odd[0] == 0.1 && odd[1].is_nan());

    // A file that has them gets another, and a change of one.
    let new = Attribute::scalar("weight", Values::F32(vec![0.25, f32::INFINITY]));
    again.cloud.set_attribute(new.clone()).unwrap();
    let changed = Attribute::scalar("outlier", Values::U8(vec![1, 0]));
    again.cloud.set_attribute(changed.clone()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.e57");
    assert!(write(&path, &again, &options).unwrap().dropped.is_empty());
    let last = pellucid_io::read(&path).unwrap().cloud;
    assert_eq!(last.attribute("weight"), Some(&new));
    assert_eq!(last.attribute("outlier"), Some(&changed));
    assert_eq!(last.normals().unwrap(), normals);
}
