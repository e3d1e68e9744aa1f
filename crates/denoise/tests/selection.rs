//! Denoising a selection: it comes out as if all were denoised, and the rest keeps its bits.

use pellucid_cloud::stats::root_mean_square;
use std::sync::{Arc, Mutex};

use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid_cloud::{PointCloud, spacing, vec3};
use pellucid_denoise::{
    Control, DenoiseError, Denoiser, Observer, OnlySelected, Run, Snapshot, registry,
};

fn noisy(n: usize) -> PointCloud {
    let clean = Shape::Torus.sample(n, 1);
    let sigma = 0.6 * spacing::spacing_of(clean.positions());
    add_noise(&clean, NoiseModel::Gaussian, sigma, 2).unwrap()
}

fn method(name: &str) -> Box<dyn Denoiser> {
    registry::find(name).unwrap().build(None, &Default::default()).unwrap()
}

fn bits(cloud: &PointCloud, row: usize) -> [u64; 3] {
    cloud.positions()[row].map(f64::to_bits)
}

fn rms(cloud: &PointCloud, part: &[bool]) -> f64 {
    let off: Vec<f64> = (0..cloud.len())
        .filter(|&row| part[row] && vec3::is_finite(cloud.positions()[row]))
        .map(|row| Shape::Torus.distance(cloud.positions()[row]))
        .collect();
    root_mean_square(off)
}

#[test]
fn the_rest_keeps_its_bits_and_the_selection_loses_its_noise() {
    let mut positions = noisy(3_000).into_positions();
    positions[5] = [f64::NAN, 1.0, -0.0];
    let noisy = PointCloud::new(positions);
    let part: Vec<bool> = noisy.positions().iter().map(|p| p[0] > 0.0 || p[0].is_nan()).collect();
    assert!(part[5], "a row that is no point may be selected");
    for m in registry::methods().iter().filter(|m| !m.properties.for_the_record) {
        let result = OnlySelected::new(&*method(m.name), &part)
            .denoise(&noisy, &mut Run::default())
            .unwrap_or_else(|e| panic!("{}: {e}", m.name));
        for row in (0..noisy.len()).filter(|&row| !part[row] || row == 5) {
            assert_eq!(bits(&result.cloud, row), bits(&noisy, row), "{} row {row}", m.name);
        }
        assert_eq!(result.report.skipped_rows, 1, "{}", m.name);
        if ["mls", "fgl"].contains(&m.name) {
            let (before, after) = (rms(&noisy, &part), rms(&result.cloud, &part));
            assert!(after < 0.9 * before, "{}: {before} -> {after}", m.name);
        }
    }
}

#[test]
fn a_small_selection_comes_out_as_if_all_were_denoised() {
    let noisy = noisy(20_000);
    let near = |p: &[f64; 3]| vec3::distance2(*p, [0.7, 0.0, 0.3]) < 0.15 * 0.15;
    let part: Vec<bool> = noisy.positions().iter().map(near).collect();
    // With the number of neighbors given, only the spacing of the surroundings differs.
    let changes = serde_json::json!({ "neighbors": 12 });
    let changes = changes.as_object().unwrap();
    let method = registry::find("mls").unwrap().build(None, changes).unwrap();
    let seen = Mutex::new(0);
    struct Count<'a>(&'a dyn Denoiser, &'a Mutex<usize>);
    impl Denoiser for Count<'_> {
        fn denoise(
            &self,
            cloud: &PointCloud,
            run: &mut Run,
        ) -> Result<pellucid_denoise::Denoised, DenoiseError> {
            *self.1.lock().unwrap() = cloud.len();
            self.0.denoise(cloud, run)
        }
    }
    let counting = Count(&*method, &seen);
    let alone = OnlySelected::new(&counting, &part).denoise(&noisy, &mut Run::default()).unwrap();
    let all = method.denoise(&noisy, &mut Run::default()).unwrap();
    let spacing = alone.report.spacing.unwrap();
    let rows: Vec<usize> = (0..part.len()).filter(|&row| part[row]).collect();
    assert!(rows.len() > 50, "{} points are too few to tell", rows.len());
    for &row in &rows {
        let apart = vec3::distance2(alone.cloud.positions()[row], all.cloud.positions()[row]);
        assert!(apart.sqrt() < 1e-6 * spacing, "row {row}: {}", apart.sqrt() / spacing);
    }
    // The method saw only the surroundings.
    let seen = *seen.lock().unwrap();
    assert!(seen > rows.len() && seen < noisy.len() / 4, "{seen} of {}", noisy.len());
}

#[test]
fn the_observer_sees_the_whole_cloud() {
    struct Watch(Arc<Mutex<Vec<Vec<[f64; 3]>>>>);
    impl Observer for Watch {
        fn iteration(&mut self, snapshot: &Snapshot) -> Control {
            self.0.lock().unwrap().push((snapshot.positions)());
            Control::Continue
        }
    }
    let noisy = noisy(2_000);
    let part: Vec<bool> = noisy.positions().iter().map(|p| p[1] > 0.2).collect();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut run = Run::default().with_observer(Watch(seen.clone()));
    let result = OnlySelected::new(&*method("mls"), &part).denoise(&noisy, &mut run).unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), result.iterations);
    assert_eq!(seen.last().unwrap(), result.cloud.positions());
}

#[test]
fn a_selection_without_points_or_for_another_cloud_is_refused() {
    let noisy = noisy(500);
    let run = |part: &[bool]| {
        OnlySelected::new(&*method("mls"), part).denoise(&noisy, &mut Run::default()).unwrap_err()
    };
    assert!(matches!(run(&[false; 500]), DenoiseError::EmptySelection { rows: 500 }));
    assert!(matches!(run(&[true; 3]), DenoiseError::SelectionLength { given: 3, rows: 500 }));
}

#[test]
fn points_that_are_not_selected_are_no_neighbors_if_so_asked() {
    // Half of a torus, and on the other half noise so high that it would pull.
    let clean = noisy(4_000);
    let selected: Vec<bool> = clean.positions().iter().map(|p| p[0] > 0.0).collect();
    let disturb = |(row, p): (usize, &[f64; 3])| match selected[row] {
        true => *p,
        false => p.map(|c| c + 0.3 * ((row * 7919 % 101) as f64 / 101.0 - 0.5)),
    };
    let cloud = PointCloud::new(clean.positions().iter().enumerate().map(disturb).collect());
    let rows: Vec<usize> = (0..cloud.len()).filter(|&row| selected[row]).collect();
    let auto = method("auto");
    let by_itself = auto.denoise(&cloud.select(&rows), &mut Run::default()).unwrap().cloud;
    let result = OnlySelected::new(&*auto, &selected).alone();
    let result = result.denoise(&cloud, &mut Run::default()).unwrap();
    for (k, &row) in rows.iter().enumerate() {
        assert_eq!(bits(&result.cloud, row), bits(&by_itself, k));
    }
    for row in (0..cloud.len()).filter(|&row| !selected[row]) {
        assert_eq!(bits(&result.cloud, row), bits(&cloud, row));
    }
    assert_eq!(result.report.surface.unwrap().len(), cloud.len());
    let with_others = OnlySelected::new(&*auto, &selected);
    let with_others = with_others.denoise(&cloud, &mut Run::default()).unwrap().cloud;
    assert_ne!(with_others, result.cloud);
}
