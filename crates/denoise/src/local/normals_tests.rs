use pellucid_cloud::PointCloud;
use pellucid_cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid_cloud::vec3;

use super::*;
use crate::DenoiseError;
use crate::frame::{LocalFrame, Unit};

fn frame(cloud: &PointCloud) -> LocalFrame {
    LocalFrame::enter(cloud, Unit::Spacing, "test", 3).unwrap()
}

#[test]
fn estimated_normals_look_outwards() {
    let clean = Shape::Sphere.sample_even(3000, 1);
    let noisy = add_noise(&clean, NoiseModel::Gaussian, 0.03, 2).unwrap();
    let frame = frame(&noisy);
    let sigma = frame.noise().sigma;
    let normals = NormalSource::Estimate.normals(&noisy, &frame, sigma).unwrap();
    let exact: Vec<_> = noisy.positions().iter().map(|&p| Shape::Sphere.normal_at(p)).collect();
    let exact = frame.pick(&exact);
    let cosines: f64 = normals.iter().zip(&exact).map(|(&a, &b)| vec3::dot(a, b)).sum();
    assert!(normals.iter().zip(&exact).all(|(&a, &b)| vec3::dot(a, b) > 0.0));
    assert!(cosines / 3000.0 > 0.97, "{}", cosines / 3000.0);
}

#[test]
fn file_normals_are_those_of_the_file_made_unit() {
    let mut cloud = Shape::Cube.sample_even(500, 1);
    let mut stored: Vec<_> =
        cloud.normals().unwrap().iter().map(|&n| vec3::scale(n, 7.0)).collect();
    stored[11] = [0.0; 3];
    stored[12] = [f64::NAN; 3];
    cloud.set_normals(&stored).unwrap();
    let frame = frame(&cloud);
    let normals = NormalSource::File.normals(&cloud, &frame, 0.0).unwrap();
    for (n, &row) in normals.iter().zip(frame.rows()) {
        assert!((vec3::norm(*n) - 1.0).abs() < 1e-12);
        if row != 11 && row != 12 {
            let expected = vec3::scale(stored[row as usize], 1.0 / 7.0);
            assert!(vec3::distance2(*n, expected) < 1e-24);
        }
    }
}

#[test]
fn missing_normals_are_an_error_that_names_the_way_out() {
    let cloud = Shape::Cube.sample(100, 1).without_attributes();
    let error = NormalSource::File.normals(&cloud, &frame(&cloud), 0.0).unwrap_err();
    assert!(matches!(&error, DenoiseError::Attribute { name, .. } if name == "normal"));
    assert!(error.to_string().contains("normals=estimate"), "{error}");
    let mut zero = cloud.clone();
    zero.set_normals(&[[0.0; 3]; 100]).unwrap();
    assert!(NormalSource::File.normals(&zero, &frame(&zero), 0.0).is_err());
}

#[test]
fn lengths_in_file_units_become_spacings() {
    let cloud = Shape::Cube.sample_even(500, 1);
    let frame = frame(&cloud);
    assert_eq!(frame.length(2.5, Unit::Spacing), 2.5);
    assert_eq!(frame.length(2.5, Unit::File), 2.5 / frame.unit());
}
