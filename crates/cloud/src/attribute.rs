//! Named, typed columns that travel with the points.

/// Names that readers, writers and methods agree on.
pub mod names {
    /// Unit normals, three components.
    pub const NORMAL: &str = "normal";
    /// Red, green, blue and perhaps alpha.
    pub const COLOR: &str = "color";
    /// Strength of the return.
    pub const INTENSITY: &str = "intensity";
    /// Time of measurement.
    pub const TIME: &str = "time";
    /// Class of the point (ground, vegetation, noise …).
    pub const CLASSIFICATION: &str = "classification";
}

/// The values of a column, in the type in which the file stored them.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Unsigned 8-bit.
    U8(Vec<u8>),
    /// Signed 8-bit.
    I8(Vec<i8>),
    /// Unsigned 16-bit.
    U16(Vec<u16>),
    /// Signed 16-bit.
    I16(Vec<i16>),
    /// Unsigned 32-bit.
    U32(Vec<u32>),
    /// Signed 32-bit.
    I32(Vec<i32>),
    /// Unsigned 64-bit.
    U64(Vec<u64>),
    /// Signed 64-bit.
    I64(Vec<i64>),
    /// Single precision.
    F32(Vec<f32>),
    /// Double precision.
    F64(Vec<f64>),
    /// Text, one string a value.
    Text(Vec<String>),
    /// A list of any length per point.
    List(Box<List>),
}

/// Runs `$body` with `$v` bound to the vector of whichever scalar variant `$values` is;
/// lists take the `$list` arm.
#[macro_export]
macro_rules! for_values {
    ($values:expr, $v:ident => $body:expr, $list:ident => $other:expr) => {
        match $values {
            $crate::Values::U8($v) => $body,
            $crate::Values::I8($v) => $body,
            $crate::Values::U16($v) => $body,
            $crate::Values::I16($v) => $body,
            $crate::Values::U32($v) => $body,
            $crate::Values::I32($v) => $body,
            $crate::Values::U64($v) => $body,
            $crate::Values::I64($v) => $body,
            $crate::Values::F32($v) => $body,
            $crate::Values::F64($v) => $body,
            $crate::Values::Text($v) => $body,
            $crate::Values::List($list) => $other,
        }
    };
}

/// One list per point: point `i` holds `values[offsets[i]..offsets[i + 1]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct List {
    /// Where each point's list starts; one more entry than there are points.
    pub offsets: Vec<usize>,
    /// The members of all lists, one after the other; never itself a `List`.
    pub values: Values,
}

impl Values {
    /// How many values there are; for lists, how many lists.
    pub fn len(&self) -> usize {
        for_values!(self, v => v.len(), l => l.offsets.len().saturating_sub(1))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of the type: `u8` … `f64`, `text` or `list`.
    pub fn type_name(&self) -> &'static str {
        match self {
            Values::U8(_) => "u8",
            Values::I8(_) => "i8",
            Values::U16(_) => "u16",
            Values::I16(_) => "i16",
            Values::U32(_) => "u32",
            Values::I32(_) => "i32",
            Values::U64(_) => "u64",
            Values::I64(_) => "i64",
            Values::F32(_) => "f32",
            Values::F64(_) => "f64",
            Values::Text(_) => "text",
            Values::List(_) => "list",
        }
    }

    /// About how many bytes they take; words and lists count as 32 each.
    pub fn bytes(&self) -> usize {
        let one = match self {
            Values::U8(_) | Values::I8(_) => 1,
            Values::U16(_) | Values::I16(_) => 2,
            Values::U32(_) | Values::I32(_) | Values::F32(_) => 4,
            Values::U64(_) | Values::I64(_) | Values::F64(_) => 8,
            Values::Text(_) | Values::List(_) => 32,
        };
        one * self.len()
    }

    /// Value `i` as a double, or `None` for text, lists and an index past the end.
    pub fn get_f64(&self, i: usize) -> Option<f64> {
        match self {
            Values::U8(v) => v.get(i).map(|&x| f64::from(x)),
            Values::I8(v) => v.get(i).map(|&x| f64::from(x)),
            Values::U16(v) => v.get(i).map(|&x| f64::from(x)),
            Values::I16(v) => v.get(i).map(|&x| f64::from(x)),
            Values::U32(v) => v.get(i).map(|&x| f64::from(x)),
            Values::I32(v) => v.get(i).map(|&x| f64::from(x)),
            Values::U64(v) => v.get(i).map(|&x| x as f64),
            Values::I64(v) => v.get(i).map(|&x| x as f64),
            Values::F32(v) => v.get(i).map(|&x| f64::from(x)),
            Values::F64(v) => v.get(i).copied(),
            Values::Text(_) | Values::List(_) => None,
        }
    }

    /// The values at `rows` (each of `width` components), in that order.
    pub fn select(&self, rows: &[usize], width: usize) -> Values {
        fn pick<T: Clone>(v: &[T], rows: &[usize], w: usize) -> Vec<T> {
            rows.iter().flat_map(|&r| v[r * w..(r + 1) * w].iter().cloned()).collect()
        }
        match self {
            Values::U8(v) => Values::U8(pick(v, rows, width)),
            Values::I8(v) => Values::I8(pick(v, rows, width)),
            Values::U16(v) => Values::U16(pick(v, rows, width)),
            Values::I16(v) => Values::I16(pick(v, rows, width)),
            Values::U32(v) => Values::U32(pick(v, rows, width)),
            Values::I32(v) => Values::I32(pick(v, rows, width)),
            Values::U64(v) => Values::U64(pick(v, rows, width)),
            Values::I64(v) => Values::I64(pick(v, rows, width)),
            Values::F32(v) => Values::F32(pick(v, rows, width)),
            Values::F64(v) => Values::F64(pick(v, rows, width)),
            Values::Text(v) => Values::Text(pick(v, rows, width)),
            Values::List(l) => {
                let mut offsets = Vec::with_capacity(rows.len() + 1);
                let mut members = Vec::new();
                offsets.push(0);
                for &r in rows {
                    members.extend(l.offsets[r]..l.offsets[r + 1]);
                    offsets.push(members.len());
                }
                Values::List(Box::new(List { offsets, values: l.values.select(&members, 1) }))
            }
        }
    }
}

/// A named column: `width` values for each point.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribute {
    name: String,
    width: usize,
    values: Values,
}

impl Attribute {
    /// One value a point.
    pub fn scalar(name: impl Into<String>, values: Values) -> Self {
        Attribute { name: name.into(), width: 1, values }
    }

    /// `width` values a point, stored point after point. A width of zero counts as one.
    pub fn vector(name: impl Into<String>, width: usize, values: Values) -> Self {
        Attribute { name: name.into(), width: width.max(1), values }
    }

    /// The column's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many values each point has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The values, point after point.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// For how many points there are values; `None` if the last point's are incomplete.
    pub fn rows(&self) -> Option<usize> {
        self.values.len().is_multiple_of(self.width).then(|| self.values.len() / self.width)
    }

    /// Component `c` of every point as doubles, or `None` for text, lists or a missing component.
    pub fn component(&self, c: usize) -> Option<Vec<f64>> {
        if c >= self.width || matches!(self.values, Values::Text(_) | Values::List(_)) {
            return None;
        }
        (c..self.values.len()).step_by(self.width).map(|i| self.values.get_f64(i)).collect()
    }

    /// The column restricted to `rows`, in that order.
    pub fn select(&self, rows: &[usize]) -> Attribute {
        Attribute {
            name: self.name.clone(),
            width: self.width,
            values: self.values.select(rows, self.width),
        }
    }
}
