//! Text clouds in the styles that programs write them.

use pellucid_cloud::{Attribute, List, PointCloud, Values};
use pellucid_io::{Document, Encoding, Format, IoError, WriteOptions, read_bytes, write_bytes};

fn from(text: &str) -> Document {
    read_bytes(text.as_bytes(), Format::Text, "test.xyz").unwrap()
}

fn fails(text: &str) -> String {
    read_bytes(text.as_bytes(), Format::Text, "test.xyz").unwrap_err().to_string()
}

fn to(document: &Document) -> String {
    let bytes = write_bytes(document, Format::Text, &WriteOptions::default()).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// What a column is: name, width, type.
fn columns(d: &Document) -> Vec<(&str, usize, &str)> {
    d.cloud.attributes().map(|a| (a.name(), a.width(), a.values().type_name())).collect()
}

#[test]
fn columns_are_named_by_their_number() {
    assert_eq!(columns(&from("1 2 3\n")), []);
    assert_eq!(columns(&from("1 2 3 4\n5 6 7 8.5\n")), [("intensity", 1, "f64")]);
    assert_eq!(columns(&from("1 2 3 0 0 1\n1 2 3 .6 0 .8\n")), [("normal", 3, "f64")]);
    assert_eq!(columns(&from("1 2 3 0 0 255\n1 2 3 7 8 9\n")), [("color", 3, "u8")]);
    let three = [("column_4", 1, "f64"), ("column_5", 1, "i64"), ("column_6", 1, "i64")];
    assert_eq!(columns(&from("1 2 3 .5 300 255\n1 2 3 7 8 9\n")), three);
    let pts = from("2\n1 2 3 -1000 1 2 3\n4 5 6 7 8 9 255\n");
    assert_eq!(columns(&pts), [("intensity", 1, "i64"), ("color", 3, "u8")]);
    assert_eq!(pts.cloud.positions(), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
}

#[test]
fn the_header_names_columns_in_any_style() {
    for text in [
        "x y z nx ny nz class\n1 2 3 0 0 1 7\n",
        "//X Y Z Nx Ny Nz Class\n1 2 3 0 0 1 7\n",
        "# made by hand\n# x y z nx ny nz class\n1 2 3 0 0 1 7\n",
        "\"x\",\"y\",\"z\",\"nx\",\"ny\",\"nz\",\"class\"\n1,2,3,0,0,1,7\n",
        "X[m]; Y[m]; Z[m]; nx; ny; nz; class\n1; 2; 3; 0; 0; 1; 7\n",
        "x\ty\tz\tnx\tny\tnz\tclass\r\n1\t2\t3\t0\t0\t1\t7\r\n",
        "\u{feff}x,y,z,nx,ny,nz,class\n1,2,3,0,0,1,7,\n",
        "x y z nx ny nz class\r1 2 3 0 0 1 7\r",
    ] {
        let d = from(text);
        assert_eq!(d.cloud.positions(), [[1.0, 2.0, 3.0]], "{text}");
        assert_eq!(d.cloud.normals().unwrap(), [[0.0, 0.0, 1.0]], "{text}");
        let (last, ..) = columns(&d)[1];
        assert!(last.eq_ignore_ascii_case("class"), "{text}: {last}");
    }
    let shuffled = from("red,z,green,y,blue,x\n1,2,3,4,5,6\n");
    assert_eq!(shuffled.cloud.positions(), [[6.0, 4.0, 2.0]]);
    assert_eq!(shuffled.cloud.attribute("color").unwrap().values(), &Values::U8(vec![1, 3, 5]));
}

#[test]
fn a_file_comes_back_as_it_was() {
    for text in [
        "1 2 3\n-0 0.1 1e-7\nnan nan nan\ninf -inf 0\n",
        "# a remark\n//X Y Z R G B Scalar\n0.5 2 3 255 0 1 0.25\n",
        "x,y,z,id,word\n1,2,3,9007199254740993,a b\n4,5,6,-9223372036854775808,c\n",
        "2\n1 2 3 -1000 1 2 3\n4 5 6 7 8 9 255\n",
        "1;2;3;0.5\n1;2;3;4\n",
        "1\t2\t3\t0\t0\t1\n",
        "z y x extra\n1 2 3 -0\n4 5 6 0.1\n",
    ] {
        assert_eq!(to(&from(text)), text);
    }
}

#[test]
fn blank_lines_comments_and_odd_spacing_are_skipped() {
    let d = from("\n  1   2\t3  \n\n# between\n% here\n// there\n 4 5 6");
    assert_eq!(d.cloud.positions(), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let d = from("1 2 3\n-nan 1.#QNAN -nan(ind)\n+1 .5 1E3\n-1.#INF Infinity 5.\n");
    assert!(d.cloud.positions()[1].iter().all(|x| x.is_nan()));
    assert_eq!(d.cloud.positions()[2], [1.0, 0.5, 1000.0]);
    assert_eq!(d.cloud.positions()[3], [f64::NEG_INFINITY, f64::INFINITY, 5.0]);
}

#[test]
fn faults_name_the_line() {
    assert_eq!(fails("1 2 3\n\n4 5\n"), "test.xyz: line 3: 2 columns where the first point has 3");
    assert!(fails("1 2 3\n4 5 6 7\n").contains("line 2: 4 columns"));
    assert!(fails("1 2 3\n4 five 6\n").contains("line 2: \"five\" in column \"y\""));
    assert!(fails("1 2\n").contains("line 1: 2 columns"));
    assert!(fails("a b c\n1 2 3\n").contains("line 1: \"a\" is not a number"));
    assert!(fails("x y z w\n1 2 3\n").contains("line 2: 3 columns, but the header names 4"));
    assert!(fails("3\n1 2 3\n4 5 6\n").contains("says that it has 3 points but holds 2"));
    assert!(fails("1,5;2,5;3,5\n").contains("line 1"));
    assert!(fails(";\n").contains("line 1"));
    assert!(fails("1,,3\n").contains("line 1"));
    assert!(fails("1 2 3\n\u{1}\n").contains("byte 6"));
    for empty in ["\n\n", "# nothing\n", "x y z\n", "5\n"] {
        let e = read_bytes(empty.as_bytes(), Format::Text, "a").unwrap_err();
        assert!(matches!(e, IoError::NoPoints { .. }), "{e}");
    }
    let wide = "1 ".repeat(2000);
    assert!(fails(&wide).contains("more than 1024 columns"));
    let long = format!("1 2 3\n{}", "1".repeat(3 << 20));
    assert!(fails(&long).contains("line"));
    let utf16 = [0xff, 0xfe, b'1', 0, b' ', 0];
    let e = read_bytes(&utf16, Format::Text, "a").unwrap_err();
    assert!(e.to_string().contains("UTF-16"));
}

#[test]
fn zero_points_are_read_where_the_file_says_so() {
    assert!(from("0\n").cloud.is_empty());
    assert!(fails("0\n1 2 3\n").contains("says that it has 0 points"));
}

#[test]
fn pieces_of_a_long_file_stay_in_order_and_agree_on_types() {
    // Over three chunks; the last value of column 4 alone is no integer, and the fifth is exact.
    let n = 120_000;
    let mut text = String::new();
    for i in 0..n {
        let half = if i == n - 1 { ".5" } else { "" };
        text.push_str(&format!("{i} {}.25 -1e3 {i}{half} {}\n", 2 * i, i64::MAX - i));
    }
    assert!(text.len() > 3 << 20);
    let d = from(&text);
    assert_eq!(d.cloud.len(), n as usize);
    for (i, p) in d.cloud.positions().iter().enumerate() {
        assert_eq!(*p, [i as f64, 2.0 * i as f64 + 0.25, -1000.0]);
    }
    let Values::F64(v) = d.cloud.attribute("column_4").unwrap().values() else { unreachable!() };
    assert!(v.iter().enumerate().all(|(i, &x)| x == i as f64 || i + 1 == n as usize));
    assert_eq!(v[n as usize - 1], n as f64 - 0.5);
    let exact: Vec<i64> = (0..n).map(|i| i64::MAX - i).collect();
    assert_eq!(d.cloud.attribute("column_5").unwrap().values(), &Values::I64(exact));
    text.push_str("1 2 3 4\n");
    assert!(fails(&text).contains("line 120001: 4 columns"));
}

#[test]
fn clouds_from_elsewhere_get_names_where_they_need_them() {
    let mut cloud = PointCloud::new(vec![[0.1, 0.2, 0.3]]);
    assert_eq!(to(&cloud.clone().into()), "0.1 0.2 0.3\n");
    let color = Values::U8(vec![1, 2, 3]);
    cloud.set_attribute(Attribute::vector("color", 3, color)).unwrap();
    assert_eq!(to(&cloud.clone().into()), "0.1 0.2 0.3 1 2 3\n");
    let odd = Values::F32(vec![0.7]);
    cloud.set_attribute(Attribute::scalar("odd name", odd)).unwrap();
    let text = to(&cloud.clone().into());
    assert_eq!(text, "# x y z red green blue odd_name\n0.1 0.2 0.3 1 2 3 0.7\n");
    assert_eq!(columns(&from(&text)), [("color", 3, "u8"), ("odd_name", 1, "f64")]);

    let list = List { offsets: vec![0, 1], values: Values::U8(vec![1]) };
    cloud.set_attribute(Attribute::scalar("list", Values::List(Box::new(list)))).unwrap();
    let words = Values::Text(vec!["two words".to_owned()]);
    cloud.set_attribute(Attribute::scalar("words", words)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let written = pellucid_io::write(
        &folder.path().join("a.txt"),
        &cloud.clone().into(),
        &WriteOptions::default(),
    )
    .unwrap();
    let dropped: Vec<&str> = written.dropped.iter().map(|d| d.attribute.as_str()).collect();
    assert_eq!(dropped, ["list", "words"]);
    // Commas leave room for spaces.
    let path = folder.path().join("a.csv");
    let written = pellucid_io::write(&path, &cloud.into(), &WriteOptions::default()).unwrap();
    assert_eq!(written.dropped.len(), 1);
    let text = std::fs::read_to_string(path).unwrap();
    assert_eq!(text, "x,y,z,red,green,blue,odd_name,words\n0.1,0.2,0.3,1,2,3,0.7,two words\n");
}

#[test]
fn binary_text_is_refused() {
    let options = WriteOptions { encoding: Some(Encoding::BinaryLittle), ..Default::default() };
    let e = write_bytes(&Document::default(), Format::Text, &options).unwrap_err();
    assert!(matches!(e, IoError::Unfit { .. }) && e.is_input_fault());
}

/// LAS stores whole numbers of steps, whose product with the step has digits that nobody measured.
#[test]
fn coordinates_of_las_get_the_digits_of_its_steps() {
    let cloud = PointCloud::new(vec![[7.084, 3.881, 0.1], [1000.003, -2.0, 5.0]]);
    let las = write_bytes(&Document::from(cloud), Format::Las, &WriteOptions::default()).unwrap();
    let mut plain = read_bytes(&las, Format::Las, "a.las").unwrap();
    plain.cloud = plain.cloud.without_attributes();
    let text = write_bytes(&plain, Format::Text, &WriteOptions::default()).unwrap();
    assert_eq!(String::from_utf8(text).unwrap(), "7.084 3.881 0.1\n1000.003 -2 5\n");
}

/// The longest number after the point, in bytes.
fn most_decimals(text: &str) -> usize {
    let decimals = |word: &str| word.split_once('.').map_or(0, |(_, d)| d.len());
    text.split_whitespace().map(decimals).max().unwrap()
}

#[test]
fn coordinates_of_single_precision_get_its_digits_in_every_text_format() {
    let cloud = PointCloud::new(vec![[0.1f32.into(), 0.7f32.into(), 2.3f32.into()]]);
    let ply = Document::from(cloud);
    let ply = write_bytes(&ply, Format::Ply, &WriteOptions::default()).unwrap();
    let ply = String::from_utf8_lossy(&ply).replace("double", "float");
    let head = ply.find("end_header\n").unwrap() + 11;
    let mut single = ply.as_bytes()[..head].to_vec();
    [0.1f32, 0.7, 2.3].iter().for_each(|x| single.extend(x.to_le_bytes()));
    let document = read_bytes(&single, Format::Ply, "a.ply").unwrap();
    for format in [Format::Text, Format::Obj, Format::Off, Format::Ptx] {
        let text = write_bytes(&document, format, &WriteOptions::default()).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("0.1 0.7 2.3"), "{format:?}: {text}");
    }
}

#[test]
fn points_that_moved_get_no_more_digits_than_the_input_had() {
    // Nine digits that count, of which a small number has more behind the point.
    let texts = [
        (Format::Text, "1.23456789 1.23456789e-6 3\n2 2 2\n3 3 3\n", 8),
        (Format::Obj, "v 1.2345678 2 3\nv 2 2 2\nv 3 3 3\nf 1 2 3\n", 7),
        (Format::Off, "OFF\n3 1 0\n1.2345678 2 3\n2 2 2\n3 3 3\n3 0 1 2\n", 7),
    ];
    for (format, text, decimals) in texts {
        let mut document = read_bytes(text.as_bytes(), format, "in").unwrap();
        let mut points = document.cloud.positions().to_vec();
        points[1] = [2.123456789012345, 1.0 / 3.0, -2e-9];
        document.cloud = document.cloud.with_positions(points).unwrap();
        let again = write_bytes(&document, format, &WriteOptions::default()).unwrap();
        let again = String::from_utf8(again).unwrap();
        let line = again.lines().find(|l| l.contains("2.123456")).unwrap();
        assert!(most_decimals(line) <= decimals + 1, "{format:?}: {line}");
        assert!(line.contains("2.12345679") || line.contains("2.1234568"), "{format:?}: {line}");
        // Lines that did not change are as they were.
        assert!(again.contains(text.lines().find(|l| l.contains("1.2345678")).unwrap()), "{again}");
    }
}

#[test]
fn normals_that_were_estimated_again_get_the_digits_of_those_before() {
    let mut document = from("0 0 0 0.6 0 0.8\n1 0 0 0 0.28 0.96\n0 1 0 0 0 1\n");
    let third = 1.0 / 3f64.sqrt();
    let normals = Values::F64(vec![third, third, third, 0.0, 0.28, 0.96, 0.0, 0.0, 1.0]);
    document.cloud.set_attribute(Attribute::vector("normal", 3, normals)).unwrap();
    let text = to(&document);
    assert!(text.starts_with("0 0 0 0.57735 0.57735 0.57735\n1 0 0 0 0.28 0.96\n"), "{text}");
}
