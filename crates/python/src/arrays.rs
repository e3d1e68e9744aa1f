//! Arrays in and out: one copy in, none out.

use numpy::{
    Element, IntoPyArray, PyArray, PyArray2, PyArrayDyn, PyArrayMethods, PyReadonlyArray2,
    PyReadonlyArrayDyn, PyUntypedArrayMethods,
};
use pellucid::cloud::{Attribute, List, Point, Values};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Map, Number, Value};

use crate::faults::value;

/// An array with a row for each point.
pub type Rows<'py> = Bound<'py, PyArray2<f64>>;

/// Rows of three numbers, in any memory order.
#[derive(FromPyObject)]
pub enum Points<'py> {
    /// Double precision.
    Double(PyReadonlyArray2<'py, f64>),
    /// Single precision.
    Single(PyReadonlyArray2<'py, f32>),
}

impl Points<'_> {
    /// The points, copied once.
    pub fn copied(&self) -> PyResult<Vec<Point>> {
        match self {
            Points::Double(a) => triples(a, |x| x),
            Points::Single(a) => triples(a, f64::from),
        }
    }
}

fn triples<T: Element + Copy>(
    array: &PyReadonlyArray2<T>,
    double: impl Fn(T) -> f64,
) -> PyResult<Vec<Point>> {
    if array.shape()[1] != 3 {
        return Err(value(format!("points have shape {:?}, but it must be (N, 3)", array.shape())));
    }
    // The slice of an array in Fortran's order would be in that order.
    if array.is_c_contiguous()
        && let Ok(flat) = array.as_slice()
    {
        return Ok(flat.as_chunks::<3>().0.iter().map(|p| p.map(&double)).collect());
    }
    let rows = array.as_array();
    Ok(rows.rows().into_iter().map(|r| [double(r[0]), double(r[1]), double(r[2])]).collect())
}

/// The rows as an array that takes over their memory.
pub fn rows(py: Python<'_>, points: Vec<Point>) -> PyResult<Rows<'_>> {
    let n = points.len();
    points.into_flattened().into_pyarray(py).reshape([n, 3])
}

/// A square matrix or a table of any width.
pub fn table<'py>(py: Python<'py>, flat: &[f64], width: usize) -> PyResult<Rows<'py>> {
    let n = flat.len() / width.max(1);
    flat.to_vec().into_pyarray(py).reshape([n, width])
}

/// The values of an array in the order of its rows.
fn flat<T: Element + Copy>(array: &PyReadonlyArrayDyn<T>) -> Vec<T> {
    match array.as_slice() {
        Ok(values) if array.is_c_contiguous() => values.to_vec(),
        _ => array.as_array().iter().copied().collect(),
    }
}

/// A column: an array, or `("text", width, strings)`, or `("list", offsets, array)`.
pub fn attribute(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Attribute> {
    if let Ok(tuple) = given.cast::<PyTuple>() {
        let kind: String = tuple.get_item(0)?.extract()?;
        if kind == "text" {
            let strings = Values::Text(tuple.get_item(2)?.extract()?);
            return Ok(Attribute::vector(name, tuple.get_item(1)?.extract()?, strings));
        }
        let offsets: Vec<usize> = tuple.get_item(1)?.extract()?;
        let (_, values) = column(name, &tuple.get_item(2)?)?;
        let fits = offsets.is_sorted()
            && offsets.first() == Some(&0)
            && offsets.last() == Some(&values.len());
        if !fits {
            return Err(value(format!("attribute \"{name}\": offsets do not fit the lists")));
        }
        return Ok(Attribute::scalar(name, Values::List(Box::new(List { offsets, values }))));
    }
    let (width, values) = column(name, given)?;
    Ok(Attribute::vector(name, width, values))
}

fn column(name: &str, given: &Bound<'_, PyAny>) -> PyResult<(usize, Values)> {
    macro_rules! first_that_fits {
        ($($kind:ident: $type:ty),*) => {
            $(if let Ok(array) = given.cast::<PyArrayDyn<$type>>() {
                let width = array.shape().iter().skip(1).product();
                return Ok((width, Values::$kind(flat(&array.try_readonly().map_err(value)?))));
            })*
        };
    }
    first_that_fits!(
        F64: f64, F32: f32, U8: u8, I8: i8, U16: u16, I16: i16, U32: u32, I32: i32, U64: u64,
        I64: i64
    );
    Err(value(format!("attribute \"{name}\" is of a type that no column has")))
}

/// The reverse of [`attribute`].
pub fn array<'py>(py: Python<'py>, attribute: &Attribute) -> PyResult<Bound<'py, PyAny>> {
    let width = attribute.width();
    Ok(match attribute.values() {
        Values::Text(strings) => ("text", width, strings).into_pyobject(py)?.into_any(),
        Values::List(list) => {
            let members = numbers(py, &list.values, 1)?;
            ("list", list.offsets.clone().into_pyarray(py), members).into_pyobject(py)?.into_any()
        }
        values => numbers(py, values, width)?,
    })
}

fn numbers<'py>(py: Python<'py>, values: &Values, width: usize) -> PyResult<Bound<'py, PyAny>> {
    fn shaped<'py, T: Element + Copy>(
        py: Python<'py>,
        values: &[T],
        width: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let flat = PyArray::from_slice(py, values);
        if width == 1 {
            return Ok(flat.into_any());
        }
        Ok(flat.reshape([values.len() / width, width])?.into_any())
    }
    match values {
        Values::U8(v) => shaped(py, v, width),
        Values::I8(v) => shaped(py, v, width),
        Values::U16(v) => shaped(py, v, width),
        Values::I16(v) => shaped(py, v, width),
        Values::U32(v) => shaped(py, v, width),
        Values::I32(v) => shaped(py, v, width),
        Values::U64(v) => shaped(py, v, width),
        Values::I64(v) => shaped(py, v, width),
        Values::F32(v) => shaped(py, v, width),
        Values::F64(v) => shaped(py, v, width),
        Values::Text(v) => Ok(PyList::new(py, v)?.into_any()),
        Values::List(_) => Err(value("lists of lists are not supported")),
    }
}

/// A parameter's value. Not by way of JSON text, so that doubles keep every bit.
fn parameter(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    if given.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(b) = given.cast::<PyBool>() {
        return Ok(Value::Bool(b.is_true()));
    }
    if let Ok(s) = given.cast::<PyString>() {
        return Ok(Value::String(s.to_string()));
    }
    if given.is_instance_of::<PyInt>() {
        return match (given.extract::<i64>(), given.extract::<u64>()) {
            (Ok(i), _) => Ok(Value::from(i)),
            (_, Ok(u)) => Ok(Value::from(u)),
            _ => Err(value(format!("parameter \"{name}\" is {given}, which is too large"))),
        };
    }
    if given.is_instance_of::<PyFloat>() {
        let number = Number::from_f64(given.extract()?);
        return number.map(Value::Number).ok_or_else(|| {
            value(format!("parameter \"{name}\" is {given}, but it must be finite"))
        });
    }
    if let Ok(dict) = given.cast::<PyDict>() {
        return Ok(Value::Object(parameters(dict)?));
    }
    // Arrays and scalars of numpy.
    let given = match given.hasattr("tolist")? {
        true => given.call_method0("tolist")?,
        false => given.clone(),
    };
    if given.is_instance_of::<PyFloat>()
        || given.is_instance_of::<PyInt>()
        || given.is_instance_of::<PyBool>()
    {
        return parameter(name, &given);
    }
    match given.try_iter() {
        Ok(items) => items.map(|item| parameter(name, &item?)).collect(),
        Err(_) => {
            let kind = given.get_type().name()?;
            Err(value(format!("parameter \"{name}\" is a {kind}; give a number, text or a list")))
        }
    }
}

/// Parameters by name.
pub fn parameters(given: &Bound<'_, PyDict>) -> PyResult<Map<String, Value>> {
    given
        .iter()
        .map(|(name, given)| {
            let name: String = name.extract()?;
            let read = parameter(&name, &given)?;
            Ok((name, read))
        })
        .collect()
}
