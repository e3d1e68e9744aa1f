use super::*;

fn sheet(side: i32) -> Vec<Point> {
    let at = |i: i32| [f64::from(i % side), f64::from(i / side), 0.3 * f64::from(i % 5)];
    (0..side * side).map(at).collect()
}

#[test]
fn every_point_is_in_one_tile_and_in_all_that_are_near() {
    let mut points = sheet(200);
    // However far away.
    points.extend([[1e9, 0.0, 0.0], [-1e20, 1e308, 5.0], [1.7e308, -1.7e308, 0.0]]);
    let mut counts = Counts::new([100.0, 100.0, 0.0], 8.0);
    counts.add(points.iter().copied());
    let plan = counts.tiles(6_000).unwrap();
    assert!(plan.tiles.len() > 8, "{}", plan.tiles.len());
    let (mut core, mut all) = (vec![0; plan.tiles.len()], vec![0; plan.tiles.len()]);
    let mut own = Vec::new();
    let mut sorter = plan.sorter();
    for &p in &points {
        let owners = sorter.owners(p);
        let tile = owners.own.unwrap();
        core[tile] += 1;
        all[tile] += 1;
        owners.others.iter().for_each(|&t| all[t] += 1);
        own.push(tile);
    }
    for (i, tile) in plan.tiles.iter().enumerate() {
        assert_eq!((tile.core, tile.all), (core[i], all[i]));
        assert!(tile.all <= 6_000);
    }
    // Whoever is within the halo of a point is in the point's tile or around it.
    for (i, p) in points.iter().enumerate().step_by(97) {
        for q in points.iter().step_by(7) {
            if (0..3).map(|c| (p[c] - q[c]).powi(2)).sum::<f64>() <= 64.0 {
                let owners = sorter.owners(*q);
                assert!(owners.own == Some(own[i]) || owners.others.contains(&own[i]));
            }
        }
    }
}

#[test]
fn other_numbers_are_no_plan() {
    let mut counts = Counts::new([0.0; 3], 8.0);
    counts.add(sheet(50));
    let plan = counts.tiles(6_000).unwrap();
    let with = |change: &dyn Fn(&mut Tiling)| {
        let mut plan = plan.clone();
        change(&mut plan);
        plan.is_sound(2500)
    };
    assert!(with(&|_| {}));
    assert!(!with(&|p| p.tiles[0].all = 1 << 60));
    assert!(!with(&|p| p.tiles[0].core = p.tiles[0].all + 1));
    assert!(!with(&|p| p.tiles[0].high[1] = i32::MAX));
    assert!(!with(&|p| p.grid.around = i32::MAX));
    assert!(!with(&|p| p.grid.last = -1));
    assert!(!with(&|p| p.grid.edge = 0.0));
    assert!(!with(&|p| p.grid.low[2] = f64::NAN));
}

#[test]
fn it_says_how_much_room_there_must_be() {
    let points = sheet(100);
    let mut counts = Counts::new([50.0, 50.0, 0.0], 20.0);
    counts.add(points.iter().copied());
    let least = counts.tiles(100).unwrap_err();
    assert!(counts.tiles(least).is_ok() && counts.tiles(least - 1).is_err());
}
