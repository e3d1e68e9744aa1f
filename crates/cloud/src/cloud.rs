//! The cloud itself.

use std::sync::Arc;

use crate::attribute::{Attribute, Values, names};
use crate::vec3::{self, Point};

/// What is wrong with a cloud or a column for it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CloudError {
    /// A column does not fit the number of points.
    #[error(
        "attribute \"{name}\" has {values} values of width {width}, but the cloud has {points} \
         points; give {width} values for each point"
    )]
    Length {
        /// The column.
        name: String,
        /// How many values it holds.
        values: usize,
        /// Values per point.
        width: usize,
        /// Points in the cloud.
        points: usize,
    },
    /// New positions do not match the number of points.
    #[error("{given} positions were given for a cloud of {points} points")]
    Positions {
        /// How many were given.
        given: usize,
        /// How many there should be.
        points: usize,
    },
    /// More points than indices can name.
    #[error("{0} points are more than one cloud can hold (4,294,967,294); cut it into tiles")]
    TooMany(usize),
}

/// Positions in double precision plus any number of named columns of the same length.
///
/// Columns are shared between clones, so a pipeline that only moves points copies nothing else.
///
/// ```
/// use pellucid_cloud::{Attribute, PointCloud, Values};
///
/// let mut cloud = PointCloud::new(vec![[0.0; 3], [1.0, 2.0, 3.0]]);
/// cloud.set_attribute(Attribute::scalar("intensity", Values::U16(vec![7, 9])))?;
/// let moved = cloud.with_positions(vec![[0.5; 3], [1.0, 2.0, 3.5]])?;
/// assert_eq!(moved.attribute("intensity"), cloud.attribute("intensity"));
/// # Ok::<(), pellucid_cloud::CloudError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PointCloud {
    positions: Vec<Point>,
    attributes: Vec<Arc<Attribute>>,
}

impl PointCloud {
    /// A cloud of bare points.
    pub fn new(positions: Vec<Point>) -> Self {
        PointCloud { positions, attributes: Vec::new() }
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Where the points are.
    pub fn positions(&self) -> &[Point] {
        &self.positions
    }

    /// Gives the positions away, dropping the columns.
    pub fn into_positions(self) -> Vec<Point> {
        self.positions
    }

    /// The same points elsewhere, with every column.
    pub fn with_positions(&self, positions: Vec<Point>) -> Result<Self, CloudError> {
        if positions.len() != self.len() {
            return Err(CloudError::Positions { given: positions.len(), points: self.len() });
        }
        Ok(PointCloud { positions, attributes: self.attributes.clone() })
    }

    /// The columns, in the order in which they were set.
    pub fn attributes(&self) -> impl ExactSizeIterator<Item = &Attribute> {
        self.attributes.iter().map(Arc::as_ref)
    }

    /// The column of that name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes().find(|a| a.name() == name)
    }

    /// Adds a column, or replaces the one of the same name in its place.
    pub fn set_attribute(&mut self, attribute: Attribute) -> Result<(), CloudError> {
        if attribute.rows() != Some(self.len()) {
            return Err(CloudError::Length {
                name: attribute.name().to_owned(),
                values: attribute.values().len(),
                width: attribute.width(),
                points: self.len(),
            });
        }
        match self.attributes.iter_mut().find(|a| a.name() == attribute.name()) {
            Some(old) => *old = Arc::new(attribute),
            None => self.attributes.push(Arc::new(attribute)),
        }
        Ok(())
    }

    /// Takes a column out.
    pub fn remove_attribute(&mut self, name: &str) -> Option<Arc<Attribute>> {
        let i = self.attributes.iter().position(|a| a.name() == name)?;
        Some(self.attributes.remove(i))
    }

    /// The same points without any column.
    pub fn without_attributes(&self) -> Self {
        PointCloud::new(self.positions.clone())
    }

    /// The stored normals as doubles, if there is a column `normal` of width three.
    pub fn normals(&self) -> Option<Vec<Point>> {
        let a = self.attribute(names::NORMAL).filter(|a| a.width() == 3)?;
        let v = a.values();
        (0..self.len())
            .map(|i| Some([v.get_f64(3 * i)?, v.get_f64(3 * i + 1)?, v.get_f64(3 * i + 2)?]))
            .collect()
    }

    /// Stores normals, in single precision if the present column is, else in double.
    pub fn set_normals(&mut self, normals: &[Point]) -> Result<(), CloudError> {
        let single =
            matches!(self.attribute(names::NORMAL).map(Attribute::values), Some(Values::F32(_)));
        let flat = normals.iter().flatten();
        let values = if single {
            Values::F32(flat.map(|&x| x as f32).collect())
        } else {
            Values::F64(flat.copied().collect())
        };
        self.set_attribute(Attribute::vector(names::NORMAL, 3, values))
    }

    /// The points at `rows`, in that order, with their attributes.
    ///
    /// # Panics
    /// If a row is past the end.
    pub fn select(&self, rows: &[usize]) -> Self {
        PointCloud {
            positions: rows.iter().map(|&r| self.positions[r]).collect(),
            attributes: self.attributes.iter().map(|a| Arc::new(a.select(rows))).collect(),
        }
    }

    /// The rows whose coordinates are all finite, in order.
    pub fn finite_rows(&self) -> Vec<usize> {
        (0..self.len()).filter(|&i| vec3::is_finite(self.positions[i])).collect()
    }

    /// Smallest and largest coordinates of the finite points, or `None` without any.
    pub fn bounds(&self) -> Option<(Point, Point)> {
        bounds(&self.positions)
    }
}

/// Smallest and largest coordinates of the finite points, or `None` without any.
pub fn bounds(points: &[Point]) -> Option<(Point, Point)> {
    let mut found: Option<(Point, Point)> = None;
    for &p in points.iter().filter(|&&p| vec3::is_finite(p)) {
        let (lo, hi) = found.get_or_insert((p, p));
        for c in 0..3 {
            lo[c] = lo[c].min(p[c]);
            hi[c] = hi[c].max(p[c]);
        }
    }
    found
}
