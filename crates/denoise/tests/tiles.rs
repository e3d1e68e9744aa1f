//! A large cloud is denoised as its pieces are.

use pellucid_cloud::PointCloud;
use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid_denoise::tiles::{AutoParameters, Learned, Survey};
use pellucid_denoise::{Run, registry};

#[test]
fn the_whole_run_of_a_large_cloud_is_that_of_one_piece() {
    let clean = Shape::Torus.sample(140_000, 1);
    let noisy = add_noise(&clean, NoiseModel::Gaussian, 0.004, 2).unwrap();
    // A row that takes no part does not count.
    let mut positions = noisy.positions().to_vec();
    positions[7] = [f64::NAN, 0.0, 0.0];
    let rows: Vec<usize> = (0..positions.len()).filter(|&i| i != 7).collect();
    let finite: Vec<_> = rows.iter().map(|&i| positions[i]).collect();

    // One round is enough to see the same.
    let parameters = AutoParameters { strength: 0.3, even: 1, ..AutoParameters::default() };
    let map = serde_json::to_value(&parameters).unwrap();
    let auto = registry::find("auto").unwrap().build(None, map.as_object().unwrap()).unwrap();
    let cloud = PointCloud::new(positions);
    let whole = auto.denoise(&cloud, &mut Run::default().with_seed(3)).unwrap();
    assert!(whole.iterations > 0);

    let mut survey = Survey::new();
    while !survey.is_done() {
        for (k, piece) in finite.chunks(30_011).enumerate() {
            survey.see(piece, |i| (30_011 * k + i) as u32);
        }
        survey.end_pass();
    }
    let mut run = Run::default().with_seed(3);
    let learned = Learned::from_survey(&survey, &parameters, &mut run).unwrap();
    assert_eq!(whole.report.spacing, Some(learned.spacing()));
    let numbers: Vec<u32> = (0..finite.len() as u32).collect();
    let piece = learned.denoise_piece(&finite, &numbers, finite.len(), &mut run).unwrap();
    let moved: Vec<_> = rows.iter().map(|&i| whole.cloud.positions()[i]).collect();
    assert_eq!(moved, piece);
    assert_ne!(moved, finite);
}
