//! The standard fields of each format arrive in those of the others, as other programs read them.

use pellucid_cloud::{Attribute, PointCloud, Values};
use pellucid_io::{Document, Format, WriteOptions, read_bytes, write_bytes};

fn cloud(attributes: Vec<Attribute>) -> PointCloud {
    let mut cloud = PointCloud::new(vec![[0.0, 0.0, 0.0], [1.0, 0.0, 2.0], [0.5, 1.0, 0.25]]);
    attributes.into_iter().for_each(|a| cloud.set_attribute(a).unwrap());
    cloud
}

fn bytes(document: &Document, format: Format) -> Vec<u8> {
    write_bytes(document, format, &WriteOptions::default()).unwrap()
}

fn through(document: &Document, format: Format) -> Document {
    read_bytes(&bytes(document, format), format, "again").unwrap()
}

fn column(document: &Document, name: &str) -> Vec<f64> {
    let a = document.cloud.attribute(name).unwrap_or_else(|| panic!("no {name}"));
    (0..a.values().len()).map(|i| a.values().get_f64(i).unwrap()).collect()
}

fn holds(file: &[u8], word: &[u8]) -> bool {
    file.windows(word.len()).any(|w| w == word)
}

#[test]
fn intensities_of_scanners_become_those_of_las() {
    let given = cloud(vec![Attribute::scalar("intensity", Values::F32(vec![0.0, 0.5, 1.0]))]);
    let e57 = through(&Document::from(given), Format::E57);
    for format in [Format::Las, Format::Laz] {
        // An added field of that name is what other programs refuse.
        assert!(!holds(&bytes(&e57, format), b"intensity"));
        assert_eq!(column(&through(&e57, format), "intensity"), [0.0, 32768.0, 65535.0]);
    }
    let wide = cloud(vec![Attribute::scalar("intensity", Values::F64(vec![-1e3, 0.0, 1e3]))]);
    let las = through(&Document::from(wide), Format::Las);
    assert_eq!(column(&las, "intensity"), [0.0, 32768.0, 65535.0]);
    let parts = vec![0.0, 0.5, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0];
    let color = cloud(vec![Attribute::vector("color", 3, Values::F32(parts))]);
    let las = through(&Document::from(color), Format::Las);
    assert_eq!(column(&las, "color")[..3], [0.0, 32768.0, 65535.0]);
}

#[test]
fn what_does_not_fit_a_field_of_las_gets_another_name() {
    let given = cloud(vec![Attribute::scalar("classification", Values::I32(vec![1, 2, 300]))]);
    let file = bytes(&Document::from(given), Format::Las);
    assert!(holds(&file, b"classification_2\0"));
    assert!(!holds(&file, b"classification\0"));
}

#[test]
fn returns_of_e57_are_those_of_las() {
    let returns = |numbers: [u8; 3]| Values::U8(numbers.to_vec());
    let given = cloud(vec![
        Attribute::scalar("return_number", returns([1, 2, 1])),
        Attribute::scalar("number_of_returns", returns([2, 2, 1])),
    ]);
    let las = through(&Document::from(given), Format::Las);
    // E57 counts from zero.
    let file = bytes(&las, Format::E57);
    assert!(holds(&file, b"returnIndex") && holds(&file, b"returnCount"));
    let e57 = read_bytes(&file, Format::E57, "again").unwrap();
    assert_eq!(column(&e57, "return_index"), [0.0, 1.0, 0.0]);
    let back = through(&e57, Format::Laz);
    assert_eq!(column(&back, "return_number"), [1.0, 2.0, 1.0]);
    assert_eq!(column(&back, "number_of_returns"), [2.0, 2.0, 1.0]);
    assert!(back.cloud.attribute("return_index").is_none());
}

#[test]
fn names_of_other_programs_are_understood_and_kept() {
    let ply = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n\
               property float z\nproperty float scalar_Intensity\nproperty double GpsTime\n\
               property uchar Classification\nend_header\n1 2 3 7 123.5 6\n";
    let document = read_bytes(ply.as_bytes(), Format::Ply, "cc").unwrap();
    assert_eq!(column(&document, "intensity"), [7.0]);
    let las = through(&document, Format::Las);
    assert_eq!(column(&las, "intensity"), [7.0]);
    assert_eq!(column(&las, "time"), [123.5]);
    assert_eq!(column(&las, "classification"), [6.0]);
    assert_eq!(String::from_utf8(bytes(&document, Format::Ply)).unwrap(), ply);
}

#[test]
fn pts_has_the_count_first_and_the_columns_that_readers_know() {
    let given = cloud(vec![
        Attribute::scalar("intensity", Values::F32(vec![0.0, 0.5, 1.0])),
        Attribute::scalar("time", Values::F64(vec![1.0, 2.0, 3.0])),
        Attribute::vector("color", 4, Values::U8(vec![9; 12])),
    ]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.pts");
    let written =
        pellucid_io::write(&path, &Document::from(given), &WriteOptions::default()).unwrap();
    assert!(written.dropped.iter().any(|d| d.attribute == "time"));
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "3");
    assert_eq!(lines[1], "0 0 0 -2048 9 9 9");
    assert_eq!(lines[3], "0.5 1 0.25 2047 9 9 9");
    assert_eq!(lines.len(), 4);
}

/// Programs that read PTX take intensities for a share of the largest.
#[test]
fn intensities_of_las_are_shares_in_ptx_and_come_back() {
    let all = vec![0u16, 5758, 65_535];
    // A point at the origin is none in PTX.
    let mut given = PointCloud::new(vec![[1.0; 3], [2.0; 3], [3.0; 3]]);
    given.set_attribute(Attribute::scalar("intensity", Values::U16(all))).unwrap();
    let given = Document::from(given);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.ptx");
    let written = pellucid_io::write(&path, &given, &WriteOptions::default()).unwrap();
    assert!(written.changed.iter().any(|d| d.attribute == "intensity"));
    let ptx = pellucid_io::read(&path).unwrap();
    let share = column(&ptx, "intensity");
    assert!((share[1] - 5758.0 / 65_535.0).abs() < 1e-8 && share[2] == 1.0, "{share:?}");
    assert_eq!(column(&through(&ptx, Format::Las), "intensity"), [0.0, 5758.0, 65_535.0]);
}

#[test]
fn colors_with_alpha_reach_e57_and_ptx() {
    let rgba = (0..12).map(|i| i * 20).collect();
    let given = Document::from(cloud(vec![Attribute::vector("color", 4, Values::U8(rgba))]));
    let rgb = [0.0, 20.0, 40.0, 80.0, 100.0, 120.0, 160.0, 180.0, 200.0];
    for format in [Format::E57, Format::Ptx] {
        assert_eq!(column(&through(&given, format), "color"), rgb, "{format:?}");
    }
}

/// LAS spreads colors of eight bits over sixteen; readers of E57, PCD and PLY take eight only.
#[test]
fn colors_of_eight_bits_are_such_in_e57_pcd_and_ply() {
    let mut cloud = PointCloud::new(vec![[0.0; 3], [1.0, 0.0, 0.0]]);
    let color = |v: Vec<u16>| Attribute::vector("color", 3, Values::U16(v));
    for (values, kind) in
        [(vec![0, 257, 65535, 514, 0, 257], "u8"), (vec![1, 2, 3, 4, 5, 600], "u16")]
    {
        cloud.set_attribute(color(values)).unwrap();
        for format in [Format::E57, Format::Pcd, Format::Ply] {
            let bytes = write_bytes(&cloud.clone().into(), format, &Default::default()).unwrap();
            let back = read_bytes(&bytes, format, "back").unwrap().cloud;
            assert_eq!(back.attribute("color").unwrap().values().type_name(), kind, "{format:?}");
        }
    }
}

#[test]
fn normals_are_lines_of_obj() {
    let normals = vec![0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.6, 0.8, 0.0];
    let given = cloud(vec![Attribute::vector("normal", 3, Values::F64(normals.clone()))]);
    let file = bytes(&Document::from(given), Format::Obj);
    let text = String::from_utf8(file.clone()).unwrap();
    assert!(text.contains("\nvn 0.6 0.8 0\n"), "{text}");
    let mut document = read_bytes(&file, Format::Obj, "again").unwrap();
    assert_eq!(column(&document, "normal"), normals);
    // Changed normals change, all else stays.
    let turned = vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.8, 0.0];
    let attribute = Attribute::vector("normal", 3, Values::F64(turned));
    document.cloud.set_attribute(attribute).unwrap();
    let now = String::from_utf8(bytes(&document, Format::Obj)).unwrap();
    assert_eq!(now, text.replace("vn 0 0 1\n", "vn 1 0 0\n"));
}

#[test]
fn normals_of_corners_are_not_those_of_points() {
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nvn 0 1 0\nvn 1 0 0\nf 1//1 2//1 3//1\n";
    let document = read_bytes(mesh.as_bytes(), Format::Obj, "mesh").unwrap();
    assert!(document.cloud.attribute("normal").is_none());
    assert_eq!(String::from_utf8(bytes(&document, Format::Obj)).unwrap(), mesh);
}
