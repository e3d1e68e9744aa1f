//! A disk that fills up, and a file that turns up, while an output is being written.

use std::fs;
use std::io::{self, Write};

use pellucid_cloud::PointCloud;

use super::write;
use crate::document::{Document, Job, WriteOptions};
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
        let job = Job { encoding: None, extension: info.extensions[0] };
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
