//! Files in tiles: as the whole, within memory, and after interruptions.

use std::fs;
use std::path::Path;

use pellucid::big::{self, BigError, Memory, TiledJob, Work, work_folder};
use pellucid::cloud::synth::{NoiseModel, Shape, add_noise};
use pellucid::cloud::{Attribute, Values, vec3};
use pellucid::denoise::tiles::AutoParameters;
use pellucid::denoise::{Control, Observer, Progress, registry};
use pellucid::io::{self, Document};
use pellucid::{PointCloud, Run};

/// Enough for the survey to take a sample only.
const POINTS: usize = 135_000;

fn parameters() -> AutoParameters {
    // Few rounds show as much as many.
    AutoParameters { strength: 0.3, even: 1, ..AutoParameters::default() }
}

fn scan(path: &Path) -> PointCloud {
    let clean = Shape::Torus.sample(POINTS, 1);
    let mut cloud = add_noise(&clean, NoiseModel::Gaussian, 0.004, 2).unwrap();
    let numbers = |k: u32| (0..POINTS as u32).map(move |i| i.wrapping_mul(k));
    let intensity = Values::U16(numbers(40_503).map(|x| x as u16).collect());
    let time = Values::F64(numbers(7).map(|x| f64::from(x) * 0.25).collect());
    cloud.set_attribute(Attribute::scalar("intensity", intensity)).unwrap();
    cloud.set_attribute(Attribute::scalar("gps_time", time)).unwrap();
    let document = Document { cloud, source: Default::default() };
    io::write(path, &document, &Default::default()).unwrap();
    io::read(path).unwrap().cloud
}

fn job(folder: &Path, output: &str, memory: u64) -> TiledJob {
    let mut job = TiledJob::new(folder.join("in.laz"), folder.join(output), Memory(memory));
    job.parameters = parameters();
    job
}

/// Gives up at a step of that name.
struct Until(&'static str);

impl Observer for Until {
    fn progress(&mut self, p: &Progress) -> Control {
        if p.step.starts_with(self.0) { Control::Cancel } else { Control::Continue }
    }
}

fn interrupted(job: &TiledJob, step: &'static str) {
    let fault = big::denoise(job, &mut Run::default().with_observer(Until(step))).unwrap_err();
    assert!(fault.is_cancelled(), "{fault}");
    assert!(!job.output.exists() && work_folder(&job.output).is_dir());
}

#[test]
fn tiles_give_what_the_whole_does_and_interruptions_change_nothing() {
    let here = tempfile::tempdir().unwrap();
    let folder = here.path();
    let noisy = scan(&folder.join("in.laz"));

    // As a whole.
    let map = serde_json::to_value(parameters()).unwrap();
    let auto = registry::find("auto").unwrap().build(None, map.as_object().unwrap()).unwrap();
    let whole = auto.denoise(&noisy, &mut Run::default()).unwrap();
    let spacing = whole.report.spacing.unwrap();

    // In tiles.
    let mut first = job(folder, "first.laz", 236_000_000);
    let outcome = big::denoise(&first, &mut Run::default()).unwrap();
    assert!(outcome.tiles >= 4 && outcome.resumed == 0, "{outcome:?}");
    assert_eq!((outcome.rows, outcome.points), (POINTS, POINTS));
    assert!(outcome.movement.mean > 0.1 * spacing);
    assert!(!work_folder(&first.output).exists());
    let tiled = io::read(&first.output).unwrap().cloud;
    let off = tiled.positions().iter().zip(whole.cloud.positions());
    let off = off.map(|(&a, &b)| vec3::distance2(a, b).sqrt() / spacing);
    // The file rounds positions, to far less than that.
    assert!(off.fold(0.0, f64::max) <= 0.02);
    for a in noisy.attributes() {
        assert_eq!(Some(a.values()), tiled.attribute(a.name()).map(Attribute::values));
    }

    // It is there now, so it is not replaced.
    assert!(matches!(big::denoise(&first, &mut Run::default()), Err(BigError::Io(_))));
    first.resume = true;

    // Stopped here and there.
    let mut second = job(folder, "second.laz", 236_000_000);
    interrupted(&second, "sorting");
    let again = big::denoise(&second, &mut Run::default());
    assert!(matches!(again, Err(BigError::Unfinished { .. })));
    second.resume = true;
    interrupted(&second, "tile 3");
    let other = TiledJob { parameters: AutoParameters::default(), ..second.clone() };
    let fault = big::denoise(&other, &mut Run::default()).unwrap_err().to_string();
    assert!(fault.contains("other parameters"), "{fault}");
    let small = TiledJob { memory: Memory(200_000_000), ..second.clone() };
    assert!(matches!(big::denoise(&small, &mut Run::default()), Err(BigError::Memory { .. })));
    interrupted(&second, "writing");
    let work = Work::start(&second, &mut Run::default()).unwrap();
    assert_eq!(work.pieces().count(), 0);
    let outcome = work.finish(&mut Run::default()).unwrap();
    assert_eq!(outcome.resumed, outcome.tiles);
    let bytes = |job: &TiledJob| fs::read(&job.output).unwrap();
    assert!(bytes(&first) == bytes(&second));
    assert!(!work_folder(&second.output).exists());

    // Nothing left to resume.
    let third = TiledJob { resume: true, ..job(folder, "third.laz", 236_000_000) };
    let none = big::denoise(&third, &mut Run::default());
    assert!(matches!(none, Err(BigError::NothingToResume { .. })));
}

#[test]
fn too_little_memory_is_reported_with_what_is_enough() {
    let here = tempfile::tempdir().unwrap();
    let folder = here.path();
    scan(&folder.join("in.laz"));
    let small = job(folder, "out.laz", 150_000_000);
    let fault = big::denoise(&small, &mut Run::default()).unwrap_err();
    let BigError::Memory { needed, .. } = fault else { panic!("{fault}") };
    assert!(needed > small.memory && !work_folder(&small.output).exists());
    let enough = TiledJob { memory: needed, ..small };
    let work = Work::start(&enough, &mut Run::default()).unwrap();
    let piece = work.pieces().next().unwrap().unwrap();
    assert!(piece.core > 0 && piece.core < piece.points.len());
    // An engine of one's own, which leaves the points where they are.
    for piece in work.pieces() {
        let piece = piece.unwrap();
        work.put(&piece, &piece.points[..piece.core]).unwrap();
    }
    let outcome = work.finish(&mut Run::default()).unwrap();
    assert_eq!(outcome.movement.moved, 0);
}

#[test]
fn a_clean_cloud_comes_out_as_it_went_in() {
    let here = tempfile::tempdir().unwrap();
    let points = (0..20_000).map(|i| [f64::from(i % 100), f64::from(i / 100), 0.0]).collect();
    let document = Document { cloud: PointCloud::new(points), source: Default::default() };
    let (input, output) = (here.path().join("in.ply"), here.path().join("out.ply"));
    io::write(&input, &document, &Default::default()).unwrap();
    let job = TiledJob::new(&input, &output, Memory(500_000_000));
    let outcome = big::denoise(&job, &mut Run::default()).unwrap();
    assert_eq!((outcome.tiles, outcome.movement.moved), (0, 0));
    assert_eq!(fs::read(input).unwrap(), fs::read(output).unwrap());
}

#[test]
fn a_cloud_at_fault_leaves_no_work_folder() {
    let here = tempfile::tempdir().unwrap();
    let clean = Shape::Torus.sample(3_000, 1);
    let cloud = add_noise(&clean, NoiseModel::Gaussian, 0.02, 2).unwrap();
    let document = Document { cloud, source: Default::default() };
    let (input, output) = (here.path().join("in.las"), here.path().join("out.las"));
    io::write(&input, &document, &Default::default()).unwrap();
    let work =
        Work::start(&TiledJob::new(input, &output, Memory(500_000_000)), &mut Run::default());
    let work = work.unwrap();
    for piece in work.pieces() {
        let piece = piece.unwrap();
        let mut moved = piece.points[..piece.core].to_vec();
        // Out of reach for the integers of the file.
        moved
            .iter_mut()
            .zip(&piece.numbers)
            .filter(|(_, n)| **n == 548)
            .for_each(|(p, _)| p[0] = 1e9);
        work.put(&piece, &moved).unwrap();
    }
    let fault = work.finish(&mut Run::default()).unwrap_err().to_string();
    assert!(fault.contains("in.las: point 548 has x = 1000000000"), "{fault}");
    assert!(!output.exists() && !work_folder(&output).exists());
}

#[test]
fn missing_measurements_take_no_part_and_no_memory() {
    let here = tempfile::tempdir().unwrap();
    let clean = Shape::Torus.sample(3_000, 1);
    let mut points = add_noise(&clean, NoiseModel::Gaussian, 0.02, 2).unwrap().into_positions();
    points.extend(vec![[0.0; 3]; 200_000]);
    points.push([1e20, 0.0, -1e300]);
    let document = Document::from(PointCloud::new(points.clone()));
    let (input, output) = (here.path().join("in.ply"), here.path().join("out.ply"));
    io::write(&input, &document, &Default::default()).unwrap();
    let job = TiledJob::new(input, &output, Memory(200_000_000));
    let outcome = big::denoise(&job, &mut Run::default()).unwrap();
    assert_eq!((outcome.rows, outcome.points), (203_001, 3_000));
    let after = io::read(&output).unwrap().cloud.into_positions();
    assert_eq!(after[3_000..], points[3_000..]);
    assert!(after[..3_000].iter().zip(&points).filter(|(a, b)| a != b).count() > 2_000);
}
