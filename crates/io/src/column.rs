//! One column of a cloud, as a writer of records sees it.

use pellucid_cloud::{Attribute, Point, PointCloud, Values};

use crate::meaning::From;
use crate::scalar::{Number, ScalarType, with_numbers, with_type};

/// The values of one column, row by row.
#[derive(Clone, Copy)]
pub(crate) enum Column<'a> {
    Position { points: &'a [Point], axis: usize },
    Numbers { values: &'a Values, width: usize, component: usize },
}

impl<'a> Column<'a> {
    pub fn of(from: &From, cloud: &'a PointCloud) -> Option<Self> {
        Some(match from {
            From::Position(axis) => Column::Position { points: cloud.positions(), axis: *axis },
            From::Attribute { name, component } => {
                let a = cloud.attribute(name).filter(|a| *component < a.width())?;
                Column::Numbers { values: a.values(), width: a.width(), component: *component }
            }
        })
    }

    /// Every component of an attribute.
    pub fn each(a: &'a Attribute) -> impl Iterator<Item = Self> {
        let (values, width) = (a.values(), a.width());
        (0..width).map(move |component| Column::Numbers { values, width, component })
    }

    /// Puts the value of one row, as type `ty`.
    #[inline]
    pub fn put(&self, row: usize, ty: ScalarType, out: &mut [u8], big: bool) {
        match *self {
            Column::Position { points, axis } => put_as(points[row][axis], ty, out, big),
            Column::Numbers { values, width, component } => {
                with_numbers!(values, v => put_as(v[row * width + component], ty, out, big), {});
            }
        }
    }

    /// Prints the value of one row, as type `ty`.
    pub fn print(&self, row: usize, ty: ScalarType, out: &mut Vec<u8>) {
        match *self {
            Column::Position { points, axis } => print_as(points[row][axis], ty, out),
            Column::Numbers { values, width, component } => {
                with_numbers!(values, v => print_as(v[row * width + component], ty, out), {});
            }
        }
    }
}

/// Puts a number as type `ty`.
#[inline]
pub(crate) fn put_as<S: Number>(x: S, ty: ScalarType, out: &mut [u8], big: bool) {
    if S::TYPE == ty {
        x.put(out, big);
    } else {
        with_type!(ty, T => T::narrow(x.widen()).put(out, big));
    }
}

/// Prints a number as type `ty`.
pub(crate) fn print_as<S: Number>(x: S, ty: ScalarType, out: &mut Vec<u8>) {
    if S::TYPE == ty {
        x.print(out);
    } else {
        with_type!(ty, T => T::narrow(x.widen()).print(out));
    }
}
