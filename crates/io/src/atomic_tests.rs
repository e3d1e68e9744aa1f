//! What can happen to an output while it is being written.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use pellucid_cloud::PointCloud;

use super::write;
use crate::document::{Document, WriteJob, WriteOptions};
use crate::error::{IoError, WriteFault};
use crate::format::Format;

/// Takes so many bytes, then says that the disk is full.
struct Full<'a> {
    sink: &'a mut dyn Write,
    room: usize,
}

impl Write for Full<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.room == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let n = bytes.len().min(self.room);
        self.room -= n;
        self.sink.write(&bytes[..n])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

#[test]
fn a_disk_that_fills_up_leaves_the_old_output_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let document = Document::from(PointCloud::new(vec![[0.5; 3]; 40_000]));
    // STL holds no bare points.
    for info in Format::all().iter().filter(|i| i.format != Format::Stl) {
        let mut whole = Vec::new();
        let job = WriteJob::new(&WriteOptions::default(), info.extensions[0]);
        (info.write)(&document, &job, &mut whole).unwrap();
        for (old, room) in [(false, 0), (true, 0), (true, 100), (true, whole.len() - 1)] {
            let path = folder.path().join("out");
            if old {
                fs::write(&path, "old").unwrap();
            }
            let options = WriteOptions { overwrite: true, ..Default::default() };
            let result = write(&path, &options, |sink| {
                (info.write)(&document, &job, &mut Full { sink, room })
            });
            let error = result.unwrap_err();
            assert!(matches!(error, IoError::Write { .. }) && !error.is_input_fault());
            assert_eq!(fs::read(&path).ok(), old.then(|| b"old".to_vec()));
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), usize::from(old));
            let _ = fs::remove_file(&path);
        }
    }
}

#[test]
fn a_file_that_turns_up_meanwhile_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let result = write(&path, &WriteOptions::default(), |sink| {
        fs::write(&path, "another's")?;
        sink.write_all(b"ours")?;
        Ok::<(), WriteFault>(())
    });
    assert!(matches!(result, Err(IoError::OutputExists { .. })));
    assert_eq!(fs::read_to_string(&path).unwrap(), "another's");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// The hidden file that is being written.
fn hidden(folder: &Path) -> PathBuf {
    let mut all = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    all.find(|p| p.extension().is_some_and(|e| e == "part")).unwrap()
}

#[test]
fn what_did_not_arrive_on_the_disk_is_not_put_in_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let cut = |file: &fs::File| file.set_len(2_000_000).unwrap();
    let grown = |file: &fs::File| file.set_len(4_000_000).unwrap();
    let other_end = |file: &fs::File| {
        cut(file);
        file.set_len(3_000_000).unwrap();
    };
    for damage in [&cut as &dyn Fn(&fs::File), &grown, &other_end] {
        fs::write(&path, "old").unwrap();
        let options = WriteOptions { overwrite: true, ..Default::default() };
        let result = write(&path, &options, |sink| {
            sink.write_all(&[7; 3_000_000])?;
            sink.flush()?;
            damage(&fs::File::options().write(true).open(hidden(folder.path())).unwrap());
            Ok::<(), WriteFault>(())
        });
        assert!(matches!(result, Err(IoError::Write { .. })), "{result:?}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[cfg(unix)]
#[test]
fn the_hidden_file_is_as_private_as_the_input_from_the_start() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let input = folder.path().join("in");
    fs::write(&input, "").unwrap();
    for (was, becomes) in [(0o600, 0o600), (0o400, 0o600), (0o640, 0o640), (0o644, 0o644)] {
        fs::set_permissions(&input, fs::Permissions::from_mode(was)).unwrap();
        let options = WriteOptions { forbid: vec![input.clone()], ..Default::default() };
        write(&path, &options, |_| {
            // The mask of whoever runs the tests may take away more.
            assert_eq!(mode(&hidden(folder.path())) & !becomes, 0);
            Ok::<(), WriteFault>(())
        })
        .unwrap();
        assert_eq!(mode(&path) & !becomes, 0);
        assert_eq!(mode(&path) & 0o600, 0o600);
        fs::remove_file(&path).unwrap();
    }
    // An output that is replaced keeps its own.
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let options = WriteOptions { overwrite: true, ..Default::default() };
    write(&path, &options, |_| {
        assert_eq!(mode(&hidden(folder.path())), 0o600);
        Ok::<(), WriteFault>(())
    })
    .unwrap();
    assert_eq!(mode(&path), 0o600);
}
