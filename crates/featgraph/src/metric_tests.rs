use super::*;

#[test]
fn factor_rebuilds_the_matrix() {
    let m = vec![4.0, 1.0, -0.5, 1.0, 3.0, 0.25, -0.5, 0.25, 2.0];
    let metric = Metric::from_matrix(3, m.clone(), 9.0).unwrap();
    let l = metric.factor();
    for i in 0..3 {
        for j in 0..3 {
            let sum: f64 = (0..3).map(|k| l[i * 3 + k] * l[j * 3 + k]).sum();
            assert!((sum - m[i * 3 + j]).abs() < 1e-14);
        }
    }
    let g = [1.0, -2.0, 0.5];
    let components: f64 =
        (0..3).map(|j| (0..3).map(|i| l[i * 3 + j] * g[i]).sum::<f64>().powi(2)).sum();
    assert!((components - metric.distance(&g)).abs() < 1e-12);
}

#[test]
fn refuses_what_is_not_a_metric() {
    let shape = Metric::from_matrix(2, vec![1.0; 3], 2.0).unwrap_err();
    assert!(matches!(shape, MetricError::Shape { expected: 4, found: 3, .. }));
    let nan = Metric::from_matrix(1, vec![f64::NAN], 2.0).unwrap_err();
    assert!(matches!(nan, MetricError::NotFinite { row: 0, column: 0, .. }));
    let skew = Metric::from_matrix(2, vec![1.0, 0.1, 0.2, 1.0], 2.0).unwrap_err();
    assert!(matches!(skew, MetricError::NotSymmetric { .. }));
    let singular = Metric::from_matrix(2, vec![1.0, 1.0, 1.0, 1.0], 2.0).unwrap_err();
    assert!(matches!(singular, MetricError::NotPositiveDefinite { pivot: 1, .. }));
    let trace = Metric::from_matrix(2, vec![1.0, 0.0, 0.0, 1.1], 2.0).unwrap_err();
    assert!(matches!(trace, MetricError::Trace { .. }));
    for limit in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Metric::identity_scaled(2, limit).is_err());
    }
    assert!(Metric::identity_scaled(0, 1.0).is_err());
}

#[test]
fn serialized_form_is_checked_when_read() {
    let metric = Metric::identity_scaled(3, 5.0).unwrap();
    let text = serde_json::to_string(&metric).unwrap();
    assert_eq!(serde_json::from_str::<Metric>(&text).unwrap(), metric);
    let bad = r#"{"features":2,"values":[1.0,2.0,2.0,1.0],"trace_limit":4.0}"#;
    assert!(serde_json::from_str::<Metric>(bad).is_err());
}
