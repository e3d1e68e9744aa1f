//! Decisions of `auto` can be left out one by one, and each makes a difference somewhere.

use std::path::Path;

use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid_cloud::{Point, PointCloud, spacing};
use pellucid_denoise::registry::{self, ParameterMap};
use pellucid_denoise::{ParameterError, Run};
use serde_json::{Value, json};

fn build(without: Value) -> Result<Box<dyn pellucid_denoise::Denoiser>, ParameterError> {
    let changes = ParameterMap::from_iter([("without".to_owned(), without)]);
    registry::find("auto").unwrap().build(None, &changes)
}

fn run(cloud: &PointCloud, without: Value) -> Vec<Point> {
    let method = build(without).unwrap();
    method.denoise(cloud, &mut Run::default()).unwrap().cloud.positions().to_vec()
}

/// The names, as a wrong one brings them up.
fn names() -> Vec<String> {
    let error = build(json!("nonsense")).err().unwrap();
    assert!(matches!(error, ParameterError::Type { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("without") && text.contains("nonsense"), "{text}");
    let (_, known) = text.split_once("expected one of").unwrap();
    known.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn noisy(points: Vec<Point>, spacings: f64) -> PointCloud {
    let sigma = spacings * spacing::spacing_of(&points);
    add_noise(&PointCloud::new(points), NoiseModel::Gaussian, sigma, 8).unwrap()
}

/// Little noise on a curved surface, much on a plane, and two sheets about as far apart as it is wide.
fn clouds() -> [PointCloud; 3] {
    let points = |shape: Shape| shape.sample(1500, 7).positions().to_vec();
    let sheets = (0..3200).map(|i| {
        let (x, y) = (f64::from(i / 2 % 40), f64::from(i / 80));
        [x, y, f64::from(i % 2) * 2.2]
    });
    [
        noisy(points(Shape::Torus), 0.6),
        noisy(points(Shape::Plane), 2.5),
        noisy(sheets.collect(), 0.7),
    ]
}

#[test]
fn each_makes_a_difference_and_none_makes_none() {
    let clouds = clouds();
    let default: Vec<_> = clouds.iter().map(|c| run(c, Value::Null)).collect();
    let auto = registry::find("auto").unwrap().build(None, &ParameterMap::new()).unwrap();
    for (cloud, default) in clouds.iter().zip(&default) {
        let plain = auto.denoise(cloud, &mut Run::default()).unwrap().cloud;
        assert_eq!(plain.positions(), default);
    }
    for name in names() {
        let differs = |(cloud, default): (&PointCloud, &Vec<Point>)| {
            let other = run(cloud, json!(name));
            assert!(other.iter().flatten().all(|x| x.is_finite()), "{name}");
            other != *default
        };
        assert!(clouds.iter().zip(&default).any(differs), "{name} changes nothing");
    }
}

#[test]
fn the_page_names_each() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/methods/auto.md");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(names().len() > 10);
    for name in names() {
        assert!(page.contains(&format!("| `{name}` |")), "{name}");
    }
}

#[test]
fn what_is_for_sharp_edges_keeps_those_of_a_cube() {
    let clean = Shape::Cube.sample(6000, 3);
    let cloud = noisy(clean.positions().to_vec(), 0.3);
    let off = |points: &[Point]| {
        let squares: f64 = points.iter().map(|&p| Shape::Cube.distance(p).powi(2)).sum();
        (squares / points.len() as f64).sqrt()
    };
    let before = off(cloud.positions());
    let [all, weights, normals] = [Value::Null, json!("sharp-edges"), json!("sharp-normals")]
        .map(|without| off(&run(&cloud, without)) / before);
    assert!(all < 0.9 * weights && all < 0.9 * normals, "{all}, without {weights} and {normals}");
}
