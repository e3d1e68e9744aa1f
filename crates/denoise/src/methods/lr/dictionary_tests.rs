//! The factorization against closed forms.

use pellucid_cloud::vec3::Point;

use super::*;

#[test]
fn cholesky_solves() {
    let mut a = [4.0, 0.0, 0.0, 2.0, 5.0, 0.0, 1.0, 3.0, 6.0];
    let mut b = [4.0 + 4.0 + 3.0, 2.0 + 10.0 + 9.0, 1.0 + 6.0 + 18.0];
    assert!(cholesky_solve(&mut a, &mut b));
    for (x, e) in b.iter().zip([1.0, 2.0, 3.0]) {
        assert!((x - e).abs() < 1e-12);
    }
    assert!(!cholesky_solve(&mut [1.0, 2.0, 2.0, 1.0], &mut [1.0, 1.0]));
}

const MODEL: Model = Model {
    grid: Grid { side: 5 },
    rank: 3,
    sigma: 0.05,
    strength: 1.0,
    smoothness: 0.1,
    affine: false,
};

/// Bowls of different depth over an even set of places.
fn bowls(count: usize) -> Vec<Example> {
    let depth = |i: usize| (i as f64 * 0.7).sin();
    (0..count).map(|i| bowl(depth(i))).collect()
}

fn bowl(depth: f64) -> Example {
    let frame = HeightFrame {
        origin: [0.0; 3],
        u: [1.0, 0.0, 0.0],
        v: [0.0, 1.0, 0.0],
        n: [0.0, 0.0, 1.0],
        scale: 1.0,
    };
    let places = (0..81).map(|i| [f64::from(i % 9) / 4.0 - 1.0, f64::from(i / 9) / 4.0 - 1.0]);
    let members = places.map(|[x, y]| [x, y, depth * (x * x + y * y - 0.8)]).collect();
    Example { frame, members }
}

#[test]
fn the_lasso_of_a_diagonal_system_shrinks_each_coefficient() {
    let mut x = [3.0, -3.0, 0.5];
    lasso(&[2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], &mut x, &[1.0, 1.0, 1.0]);
    assert_eq!(x, [1.0, -2.0, 0.0]);
    // Coupled: x = (1, 0) has the gradient (0.5, 0.5 + …) within the thresholds.
    let mut x = [2.0, 1.2];
    lasso(&[1.0, 0.0, 1.0, 2.0], &mut x, &[1.0, 0.5]);
    assert!((x[0] - 1.0).abs() < 1e-12 && x[1] == 0.0, "{x:?}");
}

/// Patches that are all the same have no atoms to speak of, only a mean.
#[test]
fn an_affine_model_has_what_patches_share_in_its_mean() {
    let examples: Vec<Example> = (0..200).map(|_| bowl(1.0)).collect();
    let model = Model { affine: true, ..MODEL };
    let dictionary = Dictionary::learn(&examples, &model);
    let mut code = vec![0.0; 3];
    let example = &examples[0];
    let members = || example.members.iter().copied();
    dictionary.code(&example.frame, members(), &mut Scratch::default(), &mut code);
    assert_eq!(code, [0.0; 3]);
    let middle = dictionary.height([0.0; 2], &code).unwrap();
    assert!((middle + 0.8).abs() < 0.25, "{middle}");
    let linear = Dictionary::learn(&examples, &MODEL);
    assert_eq!(linear.height([0.0; 2], &[0.0; 3]), Some(0.0));
}

#[test]
fn one_kind_of_patch_has_one_atom() {
    let examples = bowls(200);
    let dictionary = Dictionary::learn(&examples, &MODEL);
    assert_eq!(dictionary.rank(), 3);
    // The first atom is used freely, the others hardly.
    assert!(dictionary.penalty[1] > 5.0 * dictionary.penalty[0], "{:?}", dictionary.penalty);
    let mut code = vec![0.0; 3];
    let example = &examples[2];
    let members = example.members.iter().copied();
    dictionary.code(&example.frame, members, &mut Scratch::default(), &mut code);
    let error = |&x: &Point| {
        let (place, height) = example.frame.local(x);
        dictionary.height(place, &code).unwrap() - height
    };
    let errors: Vec<f64> = example.members.iter().map(error).collect();
    let rms = (errors.iter().map(|e| e * e).sum::<f64>() / errors.len() as f64).sqrt();
    // Bilinear cells of one half are off by up to 1/8 in a bowl of depth one, and atoms are drawn
    // towards smooth ones; the heights themselves have an rms of about one half.
    assert!(rms < 0.075, "{rms}");
}
