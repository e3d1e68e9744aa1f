//! Meshes to measure against.

use pellucid_io::read_mesh_bytes;

const SQUARE_PLY: &[u8] =
    b"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
property float z\nelement face 1\nproperty list uchar int vertex_index\nend_header\n\
0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n";

#[test]
fn a_square_is_two_triangles_in_every_format() {
    let off = b"COFF # a mark\n4 1 0\n\n0 0 0 1 1 1 1\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3 255 0 0\n";
    let glued = b"OFF4 1 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n";
    let obj = b"# x\no square\nv 0 0 0\nv 1 0 0\nvn 0 0 1\nf 1//1 2//1 -1 4\nv 1 1 0\nv 0 1 0\n";
    let obj2 = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf -4 -3 -2/7/8 -1\n";
    for (bytes, extension) in [(SQUARE_PLY, "ply"), (off, "off"), (glued, "OFF"), (obj2, "obj")] {
        let mesh = read_mesh_bytes(bytes, extension, "a").unwrap();
        assert_eq!(mesh.vertices, [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.]]);
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]], "{extension}");
    }
    // -1 is the last vertex so far, though two more follow.
    assert_eq!(read_mesh_bytes(obj, "obj", "a").unwrap().triangles, [[0, 1, 1], [0, 1, 3]]);
}

#[test]
fn faults_name_file_place_and_fault() {
    for (text, extension, part) in [
        ("OFF\n1 1 0\n0 0 0\n3 0 0 1\n", "off", "a.x: line 4: face 0 uses vertex 1"),
        ("OFF\n4000000000 4000000000 0\n", "off", "a.x: line 2: 4000000000 vertices"),
        ("OFF\n2 1 0\n0 0 0\n0 0 0\n", "off", "a.x: line 5: the file ends"),
        ("OFF\n1 1 0\n0 0 0\n3 0 0\n", "off", "a.x: line 4: a face of 3 corners lists 2"),
        ("OFF\n1 1 0\n0 0 0\n-3 0 0\n", "off", "a.x: line 4: a face starts"),
        ("OFF BINARY\n", "off", "a.x: line 1: the first line"),
        ("v 0 0\n", "obj", "a.x: line 1: a vertex needs three numbers"),
        ("v 0 0 0\nf 1 2 3\n", "obj", "a.x: line 2: face 0 uses vertex 2"),
        ("v 0 0 0\nf 0 1 1\n", "obj", "a.x: line 2: face 0 uses vertex 0"),
        ("v 0 0 0\n", "obj", "there are no faces"),
        ("", "obj", "a.x: the file is empty"),
        ("x", "stl", "a.x: unknown mesh format"),
    ] {
        let e = read_mesh_bytes(text.as_bytes(), extension, "a.x").unwrap_err();
        assert!(e.to_string().contains(part), "{e}");
        assert!(e.is_input_fault());
    }
    let bad = SQUARE_PLY.strip_suffix(b"3\n").unwrap().to_vec();
    let bad = [bad, b"-1\n".to_vec()].concat();
    let e = read_mesh_bytes(&bad, "ply", "a.ply").unwrap_err();
    assert!(e.to_string().contains("face 0 uses vertex -1, but there are 4"), "{e}");
}
