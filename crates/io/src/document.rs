//! A cloud with what else its file held, and how to write it.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use pellucid_cloud::{Point, PointCloud};

use crate::e57::{E57Parts, E57Source};
use crate::error::WriteFault;
use crate::format::Format;
use crate::las::LasSource;
use crate::npy::{NpySource, NpzSource};
use crate::obj::ObjSource;
use crate::off::OffSource;
use crate::pcd::PcdSource;
use crate::ply::PlySource;
use crate::ptx::PtxSource;
use crate::scalar::ScalarType;
use crate::stl::StlSource;
use crate::text::TextSource;

/// A cloud, and what its file held beyond points and attributes.
///
/// ```
/// use pellucid_cloud::PointCloud;
/// use pellucid_io::Document;
///
/// let document = Document::from(PointCloud::new(vec![[0.0; 3]]));
/// assert!(document.source.format().is_none());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// The points and their attributes.
    pub cloud: PointCloud,
    /// The rest, kept for writing back.
    pub source: Source,
}

impl From<PointCloud> for Document {
    fn from(cloud: PointCloud) -> Self {
        Document { cloud, source: Source::default() }
    }
}

/// What a file had beyond points and attributes; cheap to clone.
///
/// The default stands for a cloud that was made in memory.
#[derive(Clone, Debug, Default)]
pub struct Source {
    pub(crate) format: Option<Format>,
    pub(crate) extension: String,
    pub(crate) encoding: Option<Encoding>,
    pub(crate) position: Option<[ScalarType; 3]>,
    pub(crate) comments: Vec<String>,
    pub(crate) detail: Detail,
}

/// What only the same format can write back.
#[derive(Clone, Debug, Default)]
pub(crate) enum Detail {
    #[default]
    None,
    Ply(Arc<PlySource>),
    Pcd(Arc<PcdSource>),
    Obj(Arc<ObjSource>),
    Off(Arc<OffSource>),
    Stl(Arc<StlSource>),
    E57(Arc<E57Source>),
    E57Parts(Arc<E57Parts>),
    Ptx(Arc<PtxSource>),
    Npy(Arc<NpySource>),
    Npz(Arc<NpzSource>),
    Text(Arc<TextSource>),
    Las(Arc<LasSource>),
}

impl Source {
    /// The format the cloud was read from, if it was.
    pub fn format(&self) -> Option<Format> {
        self.format
    }

    /// How the file was encoded.
    pub fn encoding(&self) -> Option<Encoding> {
        self.encoding
    }

    /// The type in which the file stored x, y and z.
    pub fn position_types(&self) -> Option<[ScalarType; 3]> {
        self.position
    }

    /// Comments, without their marks.
    pub fn comments(&self) -> &[String] {
        &self.comments
    }

    /// Other kinds of record that the file held (such as faces), with their counts.
    pub fn other_elements(&self) -> Vec<(String, usize)> {
        match &self.detail {
            Detail::Ply(ply) => ply.other_elements(),
            Detail::Las(las) => las.other_elements(),
            Detail::E57(e57) => e57.other_elements(),
            Detail::Ptx(ptx) => ptx.other_elements(),
            Detail::Obj(obj) => vec![("face".to_owned(), obj.faces.len())],
            Detail::Off(off) => vec![("face".to_owned(), off.faces.len())],
            Detail::Stl(stl) => vec![("face".to_owned(), stl.facets())],
            _ => Vec::new(),
        }
    }

    /// Where the scanner stood, if the file says so; the attribute `scan` of a point, where
    /// there is one, says which.
    pub fn viewpoints(&self) -> Vec<Point> {
        match &self.detail {
            Detail::Pcd(pcd) => pcd.eye().into_iter().collect(),
            Detail::E57(e57) => e57.viewpoints(),
            Detail::Ptx(ptx) => ptx.viewpoints(),
            _ => Vec::new(),
        }
    }

    /// Columns and rows of an organized cloud, whose points stand in a grid row after row.
    pub fn grid(&self) -> Option<(usize, usize)> {
        match &self.detail {
            Detail::Pcd(pcd) => pcd.grid(),
            Detail::Ptx(ptx) => ptx.grid(),
            _ => None,
        }
    }

    /// The steps of coordinates and the offsets of a LAS or LAZ file.
    pub fn las_grid(&self) -> Option<([f64; 3], [f64; 3])> {
        match &self.detail {
            Detail::Las(las) => Some(las.grid()),
            _ => None,
        }
    }

    /// The coordinate system and its unit, where the file says (LAS and LAZ).
    pub fn coordinate_system(&self) -> Option<String> {
        match &self.detail {
            Detail::Las(las) => las.coordinate_system(),
            _ => None,
        }
    }

    /// The same for other points: without what belongs to single rows.
    pub fn without_rows(&self) -> Source {
        let detail = match &self.detail {
            Detail::Las(las) => Detail::Las(Arc::new(las.without_rows())),
            other => other.clone(),
        };
        Source { detail, ..self.clone() }
    }

    /// The unit of coordinates in short, where the format or the file says.
    pub fn unit(&self) -> Option<&'static str> {
        match &self.detail {
            Detail::E57(_) | Detail::E57Parts(_) | Detail::Ptx(_) => Some("m"),
            Detail::Las(las) => unit_of(&las.coordinate_system()?),
            _ => None,
        }
    }

    /// The version of the format of a LAS or LAZ file, such as 1.4.
    pub fn las_version(&self) -> Option<String> {
        match &self.detail {
            Detail::Las(las) => Some(las.version()),
            _ => None,
        }
    }

    /// The point format of a LAS or LAZ file.
    pub fn point_format(&self) -> Option<u8> {
        match &self.detail {
            Detail::Las(las) => Some(las.point_format()),
            _ => None,
        }
    }
}

/// The unit that the name of a coordinate system ends in.
fn unit_of(system: &str) -> Option<&'static str> {
    let unit = system.rsplit_once(", in ")?.1.to_ascii_lowercase();
    match unit.as_str() {
        // One word does not do for both.
        u if u.contains(" with heights in ") => None,
        u if u.starts_with("met") => Some("m"),
        u if u.contains("foot") || u.contains("feet") || u.contains("ft") => Some("ft"),
        u if u.starts_with("degree") => Some("°"),
        _ => None,
    }
}

/// How numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// As text.
    Ascii,
    /// Binary, least significant byte first.
    BinaryLittle,
    /// Binary, most significant byte first.
    BinaryBig,
}

/// How to write.
///
/// ```
/// use pellucid_io::{Encoding, WriteOptions};
/// let options = WriteOptions { encoding: Some(Encoding::Ascii), ..Default::default() };
/// assert!(!options.overwrite);
/// ```
#[derive(Debug, Clone, Default)]
pub struct WriteOptions {
    /// Whether an existing output may be replaced.
    pub overwrite: bool,
    /// The encoding; `None` keeps the file's own, or takes the format's usual one.
    pub encoding: Option<Encoding>,
    /// Inputs, which are never overwritten.
    pub forbid: Vec<PathBuf>,
    /// The step of coordinates in LAS and LAZ; `None` keeps the file's own.
    pub las_scale: Option<LasScale>,
}

/// The step in which LAS and LAZ store coordinates.
///
/// ```
/// use pellucid_io::LasScale;
/// assert_eq!("0.001".parse(), Ok(LasScale::Step(0.001)));
/// assert!("-1".parse::<LasScale>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LasScale {
    /// A ten-thousandth of the mean spacing, and no coarser than the file's own.
    Auto,
    /// This step, in file units.
    Step(f64),
}

impl FromStr for LasScale {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.eq_ignore_ascii_case("auto") {
            return Ok(LasScale::Auto);
        }
        let step = text.trim().parse::<f64>().ok().filter(|x| x.is_normal() && *x > 0.0);
        step.map(LasScale::Step)
            .ok_or_else(|| "give a step above 0 in file units, such as 0.001, or auto".to_owned())
    }
}

/// The result of a write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    /// What the format could not hold.
    pub dropped: Vec<Dropped>,
    /// What the format holds only in another form, such as rounded.
    pub changed: Vec<Dropped>,
}

/// Something the format could not hold, or not as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropped {
    /// Name of the attribute, or of the kind of record.
    pub attribute: String,
    /// Why.
    pub reason: String,
}

/// Options of a writer.
pub(crate) struct WriteJob<'a> {
    pub encoding: Option<Encoding>,
    /// In lower case; text formats differ in style by it.
    pub extension: &'a str,
    pub las_scale: Option<LasScale>,
}

impl<'a> WriteJob<'a> {
    /// What `options` say, for a file with this extension.
    pub fn new(options: &WriteOptions, extension: &'a str) -> Self {
        WriteJob { encoding: options.encoding, extension, las_scale: options.las_scale }
    }

    /// An error with this message if a binary file is asked for.
    pub fn text_only(&self, fault: &str) -> Result<(), WriteFault> {
        match self.encoding {
            None | Some(Encoding::Ascii) => Ok(()),
            Some(_) => Err(WriteFault::Unfit(fault.to_owned())),
        }
    }
}
