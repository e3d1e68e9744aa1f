//! E57 in tiles: what is written piece by piece is what is written as a whole.

use std::fs;
use std::io::Cursor;

use e57::{
    E57Writer, Quaternion, RawValues, Record, RecordDataType, RecordName, RecordValue, Transform,
    Translation,
};
use pellucid::Run;
use pellucid::big::{Memory, TiledJob, Work, work_folder};
use pellucid::cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid::cloud::{Point, vec3};
use pellucid::denoise::tiles::AutoParameters;
use pellucid::denoise::{Control, Observer, Progress, registry};
use pellucid::io::{self, Format};

/// Enough for the survey to take a sample only.
const POINTS: usize = 135_000;

/// Two scans of one torus: integers under a pose with some points that are nowhere, and doubles.
fn scans(points: &[Point]) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    let mut w = E57Writer::new(&mut out, "file").unwrap();
    let axes = [RecordName::CartesianX, RecordName::CartesianY, RecordName::CartesianZ];
    let (first, second) = points.split_at(POINTS / 2);
    // As many as there are, so that some leave the range when they move.
    let whole = |p: &Point| p.map(|x| (x * 1e5).round() as i64);
    let (low, high) = first.iter().map(whole).fold(([0; 3], [0; 3]), |(low, high), p| {
        ([0, 1, 2].map(|c| p[c].min(low[c])), [0, 1, 2].map(|c| p[c].max(high[c])))
    });
    let scaled = |c: usize| RecordDataType::ScaledInteger {
        min: low[c],
        max: high[c],
        scale: 1e-5,
        offset: 0.0,
    };
    let record = |name: &RecordName, data_type| Record { name: name.clone(), data_type };
    let mut prototype: Vec<Record> = (0..3).map(|c| record(&axes[c], scaled(c))).collect();
    let state = RecordDataType::Integer { min: 0, max: 2 };
    prototype.push(record(&RecordName::CartesianInvalidState, state));
    let mut scan = w.add_pointcloud("one", prototype).unwrap();
    scan.set_name(Some("station".to_owned()));
    scan.set_transform(Some(Transform {
        rotation: Quaternion { w: 1.0, x: 0.0, y: 0.0, z: 0.0 },
        translation: Translation { x: 0.0, y: 0.0, z: 0.0 },
    }));
    for (i, p) in first.iter().enumerate() {
        let mut raw: RawValues = whole(p).map(RecordValue::ScaledInteger).to_vec();
        raw.push(RecordValue::Integer(if i % 1000 == 7 { 2 } else { 0 }));
        scan.add_point(raw).unwrap();
    }
    scan.finalize().unwrap();
    let mut prototype: Vec<Record> = axes.iter().map(|a| record(a, RecordDataType::F64)).collect();
    prototype.push(record(&RecordName::Intensity, RecordDataType::F32));
    // A quarter turn about z, and a shift.
    let half = 0.5_f64.sqrt();
    let shift = [3.0, -2.0, 0.5];
    let mut scan = w.add_pointcloud("two", prototype).unwrap();
    scan.set_transform(Some(Transform {
        rotation: Quaternion { w: half, x: 0.0, y: 0.0, z: half },
        translation: Translation { x: shift[0], y: shift[1], z: shift[2] },
    }));
    for (i, p) in second.iter().enumerate() {
        let d = vec3::sub(*p, shift);
        let mut raw: RawValues = [d[1], -d[0], d[2]].map(RecordValue::Double).to_vec();
        raw.push(RecordValue::Single(i as f32));
        scan.add_point(raw).unwrap();
    }
    scan.finalize().unwrap();
    w.finalize().unwrap();
    drop(w);
    out.into_inner()
}

/// Cancels when a step of that name is reported for the second time.
struct Until(&'static str, usize);

impl Observer for Until {
    fn progress(&mut self, p: &Progress) -> Control {
        self.1 += usize::from(p.step.starts_with(self.0));
        if self.1 > 1 { Control::Cancel } else { Control::Continue }
    }
}

#[test]
fn scans_come_out_of_tiles_as_they_would_in_memory() {
    let here = tempfile::tempdir().unwrap();
    let clean = Shape::Torus.sample(POINTS, 1);
    let noisy = add_noise(&clean, NoiseModel::Gaussian, 0.004, 2).unwrap();
    let (input, output) = (here.path().join("in.e57"), here.path().join("out.e57"));
    fs::write(&input, scans(noisy.positions())).unwrap();
    let mut document = io::read(&input).unwrap();
    let nowhere = document.cloud.positions().iter().filter(|p| !vec3::is_finite(**p)).count();

    // Few rounds show as much as many.
    let parameters = AutoParameters { strength: 0.3, even: 1, ..AutoParameters::default() };
    let job = TiledJob { parameters, ..TiledJob::new(&input, &output, Memory(236_000_000)) };
    let work = Work::start(&job, &mut Run::default()).unwrap();
    assert!(work.tiles().len() >= 4);
    let spacing = work.learned().spacing();
    let mut moved: Vec<Option<Point>> = vec![None; POINTS - nowhere];
    for piece in work.pieces() {
        let piece = piece.unwrap();
        let (points, numbers) = (&piece.points, &piece.numbers);
        let mut run = Run::default();
        let own = work.learned().denoise_piece(points, numbers, piece.core, &mut run).unwrap();
        work.put(&piece, &own).unwrap();
        numbers.iter().zip(own).for_each(|(&n, p)| moved[n as usize] = Some(p));
    }
    // Interrupted in the midst of writing, and gone on with.
    let fault = work.finish(&mut Run::default().with_observer(Until("writing", 0))).unwrap_err();
    assert!(fault.is_cancelled() && !output.exists(), "{fault}");
    let again = TiledJob { resume: true, ..job };
    let work = Work::start(&again, &mut Run::default()).unwrap();
    let outcome = work.finish(&mut Run::default()).unwrap();
    assert_eq!((outcome.rows, outcome.points), (POINTS, POINTS - nowhere));
    assert_eq!(outcome.resumed, outcome.tiles);
    assert!(outcome.movement.mean > 0.1 * spacing && outcome.movement.moved > POINTS / 2);
    assert!(!work_folder(&output).exists());

    // The same positions, put in place in memory, give the same bytes.
    let mut next = moved.into_iter().map(Option::unwrap);
    let mut positions = document.cloud.positions().to_vec();
    for p in positions.iter_mut().filter(|p| vec3::is_finite(**p)) {
        *p = next.next().unwrap();
    }
    assert!(next.next().is_none());
    let map = serde_json::to_value(&again.parameters).unwrap();
    let auto = registry::find("auto").unwrap().build(None, map.as_object().unwrap()).unwrap();
    let whole = auto.denoise(&document.cloud, &mut Run::default()).unwrap();
    let off = positions.iter().zip(whole.cloud.positions()).filter(|(a, _)| vec3::is_finite(**a));
    let off = off.map(|(&a, &b)| vec3::distance2(a, b).sqrt() / spacing);
    assert!(off.fold(0.0, f64::max) <= 0.02);
    document.cloud = document.cloud.with_positions(positions).unwrap();
    let bytes = io::write_bytes(&document, Format::E57, &Default::default()).unwrap();
    assert!(fs::read(&output).unwrap() == bytes);
}
