//! Rows of parameters: what the macro makes of them, and what the check says.

use super::*;

choices! {
    /// Two names.
    pub enum Color {
        /// The first.
        DarkRed = "dark-red",
        /// The second.
        Blue = "blue",
    }
}

parameters! {
    /// One parameter of each kind.
    pub struct Sample {
        /// Number of neighbors,
        /// the point included.
        neighbors: Option<usize> = None, in between(3.0, 10.0), unit "points";
        /// Share.
        share: f64 = 0.5, in above(0.0).up_to(1.0);
        /// Switch.
        on: bool = true;
        /// Color.
        color: Color = Color::DarkRed;
        /// Names.
        names: Vec<String> = vec!["position".to_owned()], in at_least(1.0);
    }
}

impl Parameters for Sample {
    fn check_together(&self) -> Result<(), ParameterError> {
        let holds = self.on || self.neighbors.is_none();
        ParameterError::check(holds, "neighbors", "given", "null when on is false")
    }

    fn apply(_: &Checked<Self>, _: &PointCloud, _: &mut Run) -> Result<Denoised, DenoiseError> {
        Err(DenoiseError::Cancelled)
    }
}

fn fault(sample: Sample) -> String {
    sample.denoiser().expect_err("the check must fail").to_string()
}

#[test]
fn a_row_has_all_that_is_known_about_a_parameter() {
    let neighbors = Sample::ROWS[0];
    assert_eq!(neighbors.name, "neighbors");
    assert_eq!(neighbors.kind, Kind::Count);
    assert!(neighbors.optional);
    assert_eq!(neighbors.unit, "points");
    assert_eq!(neighbors.about, "Number of neighbors, the point included.");
    assert_eq!(neighbors.rule(), "from 3 to 10, or null");

    let json = serde_json::to_value(Sample::ROWS).unwrap();
    assert_eq!(json[1]["range"], "above 0 and at most 1");
    assert_eq!(json[1]["type"], "number");
    assert_eq!(json[2]["range"], serde_json::Value::Null);
    assert_eq!(json[3]["choices"], serde_json::json!(["dark-red", "blue"]));
}

#[test]
fn names_of_choices_are_the_same_in_json_and_in_the_row() {
    assert_eq!(serde_json::to_value(Color::DarkRed).unwrap(), "dark-red");
    assert_eq!(serde_json::from_str::<Color>("\"blue\"").unwrap(), Color::Blue);
    assert_eq!(Sample::default().values()[3], Given::Choice("dark-red"));
}

#[test]
fn the_defaults_and_the_limits_of_ranges_are_valid() {
    assert!(Sample::default().denoiser().is_ok());
    for neighbors in [3, 10] {
        assert!(Sample { neighbors: Some(neighbors), ..Sample::default() }.denoiser().is_ok());
    }
    assert!(Sample { share: 1.0, ..Sample::default() }.denoiser().is_ok());
}

#[test]
fn values_out_of_range_are_errors_that_name_parameter_value_and_rule() {
    let rule = "parameter \"neighbors\" is 11, but it must be from 3 to 10, or null";
    assert_eq!(fault(Sample { neighbors: Some(11), ..Sample::default() }), rule);
    assert!(fault(Sample { neighbors: Some(2), ..Sample::default() }).contains("is 2"));
    for share in [0.0, -1.0, 1.0001, f64::NAN, f64::INFINITY] {
        let fault = fault(Sample { share, ..Sample::default() });
        assert!(fault.contains(&format!("\"share\" is {share}, ")), "{fault}");
    }
    let empty = fault(Sample { names: Vec::new(), ..Sample::default() });
    assert!(empty.contains("\"names\" is []"), "{empty}");
    let both = fault(Sample { on: false, neighbors: Some(5), ..Sample::default() });
    assert!(both.contains("null when on is false"), "{both}");
}

#[test]
fn ranges_say_in_words_which_ends_belong_to_them() {
    let words = [
        (Range::ANY, "a finite number"),
        (between(0.0, 2.0), "from 0 to 2"),
        (at_least(1.0), "at least 1"),
        (above(0.0), "above 0"),
        (above(0.0).below(1.0), "above 0 and below 1"),
        (at_least(0.0).below(1.0), "at least 0 and below 1"),
    ];
    for (range, text) in words {
        assert_eq!(range.to_string(), text);
    }
    assert!(!Range::ANY.contains(f64::NAN));
    assert!(at_least(0.0).below(1.0).contains(0.0) && !at_least(0.0).below(1.0).contains(1.0));
    assert!(!above(0.0).contains(0.0) && above(0.0).contains(f64::MIN_POSITIVE));
}
