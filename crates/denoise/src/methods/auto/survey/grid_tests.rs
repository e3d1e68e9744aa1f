use super::*;

#[test]
fn blocks_are_cubes_that_end_along_no_axis() {
    for (a, &u) in EDGES.iter().enumerate() {
        for (b, &v) in EDGES.iter().enumerate() {
            let expected = f64::from(u8::from(a == b));
            assert!((vec3::dot(u, v) - expected).abs() < 1e-15);
        }
        assert!(u.iter().all(|x| (0.3..0.7).contains(&x.abs())), "{u:?}");
    }
}

#[test]
fn the_grid_holds_the_box_it_is_made_for() {
    let (low, high) = ([-3.0, 1.0, 5.0], [7.0, 2.0, 6.5]);
    let grid = Grid::around(low, high);
    for corner in 0..8 {
        let p = std::array::from_fn(|c| if corner >> c & 1 == 0 { low[c] } else { high[c] });
        assert!(grid.place(p).iter().all(|x| (-1e-9..CELLS as f64 + 1e-9).contains(x)));
    }
}
