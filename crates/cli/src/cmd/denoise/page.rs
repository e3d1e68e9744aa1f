//! The report as a page that shows the clouds.

use std::path::{Path, PathBuf};

use pellucid::PointCloud;
use pellucid::cloud::KdTree;
use pellucid_page::{Group, Layer, Page, metric_in_words};

use crate::args::Denoise;
use crate::cmd::streams;
use crate::failure::Failure;
use crate::output;
use crate::progress::Show;
use crate::report::{self, Head, RunReport};

/// A page has at most so many points, and so many bytes of them.
pub const POINTS: usize = 1_000_000;
pub const BYTES: usize = 24_000_000;

/// A page to which runs are added one by one, so that their clouds need not be kept.
pub struct Builder {
    page: Page,
    /// How many files share it.
    files: usize,
    truth: Option<KdTree>,
}

impl Builder {
    /// A page, if one is asked for.
    pub fn new(args: &Denoise, files: usize) -> Result<Option<Self>, Failure> {
        let Some(path) = args.report.as_deref().filter(|p| report::has_extension(p, "html")) else {
            return match &args.truth {
                Some(_) => Err(Failure::input(
                    "--truth is for the page that --report FILE.html makes; name the report .html",
                )),
                None => Ok(None),
            };
        };
        let mut page = Page::new(title(args, path));
        page.head = serde_json::to_value(Head::new()).map_err(Failure::work)?;
        let truth = match &args.truth {
            Some(path) => {
                let cloud = streams::read(path, None, Show::new(args.quiet))?.cloud;
                Some(KdTree::new(cloud.positions()))
            }
            None => None,
        };
        Ok(Some(Builder { page, files: files.max(1), truth }))
    }

    /// Adds a run and its clouds.
    pub fn add(
        &mut self,
        before: &PointCloud,
        after: &PointCloud,
        run: &RunReport,
    ) -> Result<(), Failure> {
        let truth = self.truth.as_ref();
        let layers = [
            Layer::new("Before", before).truth(truth),
            Layer::new("After", after).moved_from(0).truth(truth),
        ];
        let (points, bytes) = (POINTS / self.files, BYTES / self.files);
        let mut group = Group::pack(&run.input, &layers, points, bytes);
        let words = match &run.report.metric {
            Some(m) => metric_in_words(m, &run.report.features),
            None => Vec::new(),
        };
        group.meta.insert("run".to_owned(), serde_json::to_value(run).map_err(Failure::work)?);
        group.meta.insert("words".to_owned(), words.into());
        self.page.groups.push(group);
        Ok(())
    }

    /// Writes the page.
    pub fn write(self, path: &Path, args: &Denoise) -> Result<(), Failure> {
        let html = self.page.html().map_err(Failure::work)?;
        output::write_file(path, html.as_bytes(), args.overwrite, &args.inputs)
    }
}

fn title(args: &Denoise, path: &Path) -> String {
    let first = args.inputs.first().map_or(path, PathBuf::as_path);
    let name = first.file_name().unwrap_or(first.as_os_str()).to_string_lossy();
    match args.inputs.len() {
        1 => format!("{name}, denoised"),
        n => format!("{n} clouds, denoised"),
    }
}
