use super::*;
use pellucid::cloud::synth::{NoiseModel, Shape, add_noise};

#[test]
fn a_file_is_opened_denoised_and_saved() {
    let clean = Shape::Sphere.sample(2_000, 1);
    let noisy = add_noise(&clean, NoiseModel::Gaussian, 0.02, 2).unwrap().without_attributes();
    let bytes =
        io::write_bytes(&Document::from(noisy.clone()), Format::Ply, &WriteOptions::default())
            .unwrap();
    let mut session = Session::default();
    assert!(session.denoise("{}", |_, _| ()).contains("open a file first"));
    assert!(session.save().is_err());
    let opened: Value = serde_json::from_str(&session.open("a.ply", &bytes)).unwrap();
    assert_eq!(opened["meta"]["layers"][0]["points"], 2_000);
    let answer = session.denoise(r#"{"method":"mls"}"#, |share, _| {
        assert!((0.0..=1.0).contains(&share));
    });
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["facts"]["method"], "mls");
    assert_eq!(answer["meta"]["run"]["displacement"]["moved"], 2_000);
    let saved = session.save().unwrap();
    let after = io::read_bytes(&saved, Format::Ply, "out.ply").unwrap().cloud;
    assert_eq!(after.len(), 2_000);
    assert_ne!(after.positions(), noisy.positions());
}

#[test]
fn faults_are_described_in_words() {
    let mut session = Session::default();
    assert!(session.open("a.ply", b"hello").contains("error"));
    assert!(session.open("a.what", b"\x00").contains("not known"));
    let text = b"0 0 0\n1 0 0\n0 1 0\n";
    assert!(!session.open("a.xyz", text).contains("error"));
    assert!(session.denoise(r#"{"method":"magic"}"#, |_, _| ()).contains("magic"));
}
