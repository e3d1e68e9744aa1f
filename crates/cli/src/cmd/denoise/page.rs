//! The report as a page that shows the clouds.

use std::path::{Path, PathBuf};

use pellucid::PointCloud;
use pellucid::cloud::KdTree;
use pellucid_page::{Group, Layer, Page, metric_in_words};

use crate::args::Denoise;
use crate::cmd::jobs::Job;
use crate::cmd::labels::labels;
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
    /// The files that share it, inputs and outputs: as messages name them, and in short.
    names: Vec<[(String, String); 2]>,
    truth: Option<KdTree>,
}

impl Builder {
    /// A page, if one is asked for.
    pub fn new(args: &Denoise, jobs: &[Job]) -> Result<Option<Self>, Failure> {
        let Some(path) = args.report.as_deref().filter(|p| report::has_extension(p, "html")) else {
            return match &args.truth {
                Some(_) => Err(Failure::input(
                    "--truth is for the page that --report FILE.html makes; name the report .html",
                )),
                None => Ok(None),
            };
        };
        let mut page = Page::new(title(args, path));
        page.head = serde_json::to_value(Head::of_page()).map_err(Failure::work)?;
        let truth = match &args.truth {
            Some(path) => {
                let cloud = streams::read(path, None, Show::new(args.quiet))?.cloud;
                Some(KdTree::new(cloud.positions()))
            }
            None => None,
        };
        Ok(Some(Builder { page, names: names(jobs), truth }))
    }

    /// Adds a run and its clouds.
    pub fn add(
        &mut self,
        before: &PointCloud,
        after: &PointCloud,
        run: &RunReport,
        unit: Option<&'static str>,
    ) -> Result<(), Failure> {
        let truth = self.truth.as_ref();
        let layers = [
            Layer::new("Before", before).truth(truth),
            Layer::new("After", after).moved_from(0).truth(truth),
        ];
        let files = self.names.len().max(1);
        let short = self.names.iter().find(|[input, _]| input.0 == run.input);
        let [input, output] = match short {
            Some([input, output]) => [input.1.clone(), output.1.clone()],
            None => [run.input.clone(), run.output.clone()],
        };
        let mut group = Group::pack(&input, &layers, POINTS / files, BYTES / files);
        let words = match &run.report.metric {
            Some(m) => metric_in_words(m, &run.report.features),
            None => Vec::new(),
        };
        let mut run = serde_json::to_value(run).map_err(Failure::work)?;
        run["input"] = input.into();
        run["output"] = output.into();
        group.meta.insert("run".to_owned(), run);
        group.meta.insert("unit".to_owned(), unit.into());
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

/// What messages call the files of each job, and what the page does.
fn names(jobs: &[Job]) -> Vec<[(String, String); 2]> {
    let said = |path: &Path| path.display().to_string();
    let inputs: Vec<&Path> = jobs.iter().map(|job| streams::source_name(&job.input)).collect();
    let outputs: Vec<&Path> = jobs.iter().map(|job| streams::target_name(&job.output)).collect();
    let short = labels(&inputs).into_iter().zip(labels(&outputs));
    inputs
        .iter()
        .zip(&outputs)
        .zip(short)
        .map(|((input, output), (a, b))| [(said(input), a), (said(output), b)])
        .collect()
}

fn title(args: &Denoise, path: &Path) -> String {
    let first = args.inputs.first().map_or(path, PathBuf::as_path);
    let name = first.file_name().unwrap_or(first.as_os_str()).to_string_lossy();
    match args.inputs.len() {
        1 => format!("{name}, denoised"),
        n => format!("{n} clouds, denoised"),
    }
}
