//! Numbers as files hold them: types, bytes, text.

use pellucid_cloud::Values;

/// The type of a stored number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ScalarType {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

/// Runs `$body` with `$T` standing for the Rust type of a [`ScalarType`].
macro_rules! with_type {
    ($ty:expr, $T:ident => $body:expr) => {
        match $ty {
            $crate::ScalarType::I8 => {
                type $T = i8;
                $body
            }
            $crate::ScalarType::U8 => {
                type $T = u8;
                $body
            }
            $crate::ScalarType::I16 => {
                type $T = i16;
                $body
            }
            $crate::ScalarType::U16 => {
                type $T = u16;
                $body
            }
            $crate::ScalarType::I32 => {
                type $T = i32;
                $body
            }
            $crate::ScalarType::U32 => {
                type $T = u32;
                $body
            }
            $crate::ScalarType::I64 => {
                type $T = i64;
                $body
            }
            $crate::ScalarType::U64 => {
                type $T = u64;
                $body
            }
            $crate::ScalarType::F32 => {
                type $T = f32;
                $body
            }
            $crate::ScalarType::F64 => {
                type $T = f64;
                $body
            }
        }
    };
}
pub(crate) use with_type;

/// Runs `$body` with `$v` bound to the numbers of `$values`; text and lists take `$other`.
macro_rules! with_numbers {
    ($values:expr, $v:ident => $body:expr, $other:expr) => {
        match $values {
            pellucid_cloud::Values::U8($v) => $body,
            pellucid_cloud::Values::I8($v) => $body,
            pellucid_cloud::Values::U16($v) => $body,
            pellucid_cloud::Values::I16($v) => $body,
            pellucid_cloud::Values::U32($v) => $body,
            pellucid_cloud::Values::I32($v) => $body,
            pellucid_cloud::Values::U64($v) => $body,
            pellucid_cloud::Values::I64($v) => $body,
            pellucid_cloud::Values::F32($v) => $body,
            pellucid_cloud::Values::F64($v) => $body,
            pellucid_cloud::Values::Text(_) | pellucid_cloud::Values::List(_) => $other,
        }
    };
}
pub(crate) use with_numbers;

impl ScalarType {
    /// Bytes of one value.
    pub fn size(self) -> usize {
        with_type!(self, T => size_of::<T>())
    }

    /// `u8` … `f64`.
    pub fn name(self) -> &'static str {
        with_type!(self, T => std::any::type_name::<T>())
    }

    /// Whether it is one of the integers.
    pub fn is_integer(self) -> bool {
        !matches!(self, ScalarType::F32 | ScalarType::F64)
    }

    /// The type of a column's numbers; `None` for text and lists.
    pub(crate) fn of(values: &Values) -> Option<Self> {
        with_numbers!(values, v => Some(type_of(v)), None)
    }

    /// An empty column of this type.
    pub(crate) fn column(self, capacity: usize) -> Values {
        with_type!(self, T => T::wrap(Vec::with_capacity(capacity)))
    }
}

fn type_of<T: Number>(_: &[T]) -> ScalarType {
    T::TYPE
}

/// A number that files hold.
pub(crate) trait Number: Copy + Default + Send + Sync + 'static {
    const TYPE: ScalarType;
    /// From the first bytes of `bytes`, which must be enough.
    fn get(bytes: &[u8], big: bool) -> Self;
    fn put(self, out: &mut [u8], big: bool);
    /// To double; NaN keeps its bits.
    fn widen(self) -> f64;
    /// From double: to the nearest value of the type; NaN keeps its bits where there are any.
    fn narrow(x: f64) -> Self;
    /// From text; `None` if it is no such number or out of range.
    fn parse(token: &[u8]) -> Option<Self>;
    /// As the shortest text that reads back as the same number.
    fn print(self, out: &mut Vec<u8>);
    fn wrap(values: Vec<Self>) -> Values;
    fn peek(values: &Values) -> Option<&Vec<Self>>;
}

macro_rules! common {
    ($T:ty, $V:ident) => {
        const TYPE: ScalarType = ScalarType::$V;
        #[inline]
        fn get(bytes: &[u8], big: bool) -> Self {
            let mut raw = [0; size_of::<$T>()];
            raw.copy_from_slice(&bytes[..size_of::<$T>()]);
            if big { <$T>::from_be_bytes(raw) } else { <$T>::from_le_bytes(raw) }
        }
        #[inline]
        fn put(self, out: &mut [u8], big: bool) {
            let raw = if big { self.to_be_bytes() } else { self.to_le_bytes() };
            out[..size_of::<$T>()].copy_from_slice(&raw);
        }
        fn wrap(values: Vec<Self>) -> Values {
            Values::$V(values)
        }
        fn peek(values: &Values) -> Option<&Vec<Self>> {
            match values {
                Values::$V(v) => Some(v),
                _ => None,
            }
        }
    };
}

macro_rules! integer {
    ($($T:ty, $V:ident);*) => {$(
        impl Number for $T {
            common!($T, $V);
            #[inline]
            fn widen(self) -> f64 {
                self as f64
            }
            #[inline]
            fn narrow(x: f64) -> Self {
                x.round() as $T
            }
            fn parse(token: &[u8]) -> Option<Self> {
                if let Some(x) = parse_integer(token) {
                    return <$T>::try_from(x).ok();
                }
                // Some writers print integers as "255.0".
                let x = f64::parse(token)?;
                let back = x as $T;
                (back as f64 == x && x.abs() < 9_007_199_254_740_992.0).then_some(back)
            }
            fn print(self, out: &mut Vec<u8>) {
                out.extend_from_slice(itoa::Buffer::new().format(self).as_bytes());
            }
        }
    )*};
}
integer!(i8, I8; u8, U8; i16, I16; u16, U16; i32, I32; u32, U32; i64, I64; u64, U64);

/// A plain decimal integer of up to 20 digits.
#[inline]
pub(crate) fn parse_integer(token: &[u8]) -> Option<i128> {
    let (negative, digits) = match token {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, token),
    };
    if digits.is_empty() || digits.len() > 20 {
        return None;
    }
    if digits.len() <= 18 {
        let mut x = 0i64;
        for &d in digits {
            let d = d.wrapping_sub(b'0');
            if d > 9 {
                return None;
            }
            x = 10 * x + i64::from(d);
        }
        return Some(i128::from(if negative { -x } else { x }));
    }
    let text =
        std::str::from_utf8(digits).ok().filter(|t| t.bytes().all(|b| b.is_ascii_digit()))?;
    text.parse::<i128>().ok().map(|x| if negative { -x } else { x })
}

/// What other programs print for numbers that are not finite: (not a number, negative).
fn parse_special(token: &[u8]) -> Option<(bool, bool)> {
    let (negative, body) = match token {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, token),
    };
    let body = body.to_ascii_lowercase();
    match body.as_slice() {
        b"inf" | b"infinity" | b"1.#inf" => Some((false, negative)),
        b"nan" | b"1.#qnan" | b"1.#snan" | b"1.#ind" => Some((true, negative)),
        b if b.starts_with(b"nan(") && b.ends_with(b")") => Some((true, negative)),
        _ => None,
    }
}

macro_rules! float_text {
    ($T:ty) => {
        #[inline]
        fn parse(token: &[u8]) -> Option<Self> {
            match token.last()? {
                // Words are rare and spelled in many ways.
                b'0'..=b'9' | b'.' => match fast_float2::parse::<$T, _>(token) {
                    Ok(x) => return Some(x),
                    Err(_) => {}
                },
                _ => {}
            }
            let (nan, negative) = parse_special(token)?;
            let x = if nan { <$T>::NAN } else { <$T>::INFINITY };
            Some(if negative { -x } else { x })
        }
        fn print(self, out: &mut Vec<u8>) {
            if self.is_nan() {
                out.extend_from_slice(if self.is_sign_negative() { b"-nan" } else { b"nan" });
            } else if self.is_infinite() {
                out.extend_from_slice(if self > 0.0 { b"inf" } else { b"-inf" });
            } else {
                let mut buffer = zmij::Buffer::new();
                let text = buffer.format_finite(self);
                out.extend_from_slice(text.strip_suffix(".0").unwrap_or(text).as_bytes());
            }
        }
    };
}

impl Number for f64 {
    common!(f64, F64);
    #[inline]
    fn widen(self) -> f64 {
        self
    }
    #[inline]
    fn narrow(x: f64) -> Self {
        x
    }
    float_text!(f64);
}

impl Number for f32 {
    common!(f32, F32);
    // The processor would set the quiet bit of a NaN; a file's bits are kept.
    #[inline]
    fn widen(self) -> f64 {
        if !self.is_nan() {
            return f64::from(self);
        }
        let bits = u64::from(self.to_bits());
        f64::from_bits((bits >> 31 << 63) | (0x7ff << 52) | ((bits & 0x7f_ffff) << 29))
    }
    #[inline]
    fn narrow(x: f64) -> Self {
        if !x.is_nan() {
            return x as f32;
        }
        let bits = x.to_bits();
        let payload = (bits >> 29) as u32 & 0x7f_ffff;
        // A payload whose upper bits are all zero would read as infinity.
        let payload = if payload == 0 { 0x40_0000 } else { payload };
        f32::from_bits(((bits >> 63) as u32) << 31 | 0x7f80_0000 | payload)
    }
    float_text!(f32);
}
