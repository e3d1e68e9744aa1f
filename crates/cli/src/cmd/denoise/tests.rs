use serde_json::json;

use super::parameters::assignment;

#[test]
fn values_are_json_or_toml_or_text() {
    let value = |text: &str| assignment(text).unwrap();
    assert_eq!(value("a=1"), ("a".to_owned(), json!(1)));
    assert_eq!(value(" a = 1.5 ").1, json!(1.5));
    assert_eq!(value("a=true").1, json!(true));
    assert_eq!(value("a=null").1, json!(null));
    assert_eq!(value("a=[1, 2]").1, json!([1, 2]));
    assert_eq!(value("a=1_000").1, json!(1000));
    assert_eq!(value("a='x y'").1, json!("x y"));
    assert_eq!(value("a=plane").1, json!("plane"));
    assert_eq!(value("a=b=c").1, json!("b=c"));
    // Numbers that JSON cannot hold must not become null.
    assert_eq!(value("a=inf").1, json!("inf"));
    assert_eq!(value("a=1\nb = 2").1, json!("1\nb = 2"));
    assert!(assignment("a").is_err());
    assert!(assignment("=1").is_err());
}
