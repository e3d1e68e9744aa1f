use super::super::*;

#[test]
fn smooth_weights_fulfil_the_conditions_of_the_optimum() {
    let nodes = 12;
    let pairs: Vec<(u32, u32)> =
        (0..nodes as u32).flat_map(|i| (0..i).map(move |j| (j, i))).collect();
    let signal: Vec<f64> = (0..nodes).map(|i| f64::from((i * 5 % 12) as u32) / 4.0).collect();
    let d: Vec<f64> =
        pairs.iter().map(|&(i, j)| (signal[i as usize] - signal[j as usize]).powi(2)).collect();
    let mean = d.iter().sum::<f64>() / d.len() as f64;
    for (alpha, beta) in [(1.0, 1.0), (0.5, 2.0), (2.0, 0.1)] {
        let params = SmoothParams {
            log_degrees: alpha,
            evenness: beta,
            tolerance: 1e-9,
            ..SmoothParams::default()
        };
        let found = learn_smooth(nodes, &pairs, &d, &params).unwrap();
        assert!(found.converged);
        let mut degree = vec![0.0; nodes];
        for (&(i, j), w) in pairs.iter().zip(&found.weights) {
            degree[i as usize] += w;
            degree[j as usize] += w;
        }
        assert!(degree.iter().all(|d| *d > 0.0));
        // The derivative is zero where a weight is positive, and not negative elsewhere.
        let mut zeros = 0;
        for ((&(i, j), &w), d) in pairs.iter().zip(&found.weights).zip(&d) {
            let ends = 1.0 / degree[i as usize] + 1.0 / degree[j as usize];
            let slope = 2.0 * d / mean - alpha * ends + 2.0 * beta * w;
            let fine = if w > 1e-6 { slope.abs() < 1e-4 } else { slope > -1e-4 };
            assert!(fine, "α {alpha}, β {beta}: ({i}, {j}) {w} {slope}");
            zeros += usize::from(w <= 1e-6);
        }
        assert!(zeros > 0, "α {alpha}, β {beta}: every weight is positive");
    }
}

#[test]
fn bad_input_of_smooth_learning_is_named() {
    let run = |pairs: &[(u32, u32)], d: &[f64]| learn_smooth(2, pairs, d, &SmoothParams::default());
    assert!(matches!(run(&[], &[]), Err(LearnError::NoEdges)));
    assert!(run(&[(0, 1)], &[]).is_err());
    assert!(run(&[(0, 2)], &[1.0]).is_err());
    assert!(run(&[(0, 1)], &[f64::NAN]).is_err());
    let negative = SmoothParams { evenness: 0.0, ..SmoothParams::default() };
    let wrong = learn_smooth(2, &[(0, 1)], &[1.0], &negative);
    assert!(matches!(wrong, Err(LearnError::Parameter { field: "evenness", .. })));
    // Signals that do not differ join all pairs alike.
    let same = run(&[(0, 1)], &[0.0]).unwrap();
    assert!(same.converged && same.weights[0] > 0.5);
}
