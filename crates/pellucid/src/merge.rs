//! Several clouds in one.

use pellucid_cloud::{Attribute, CloudError, Point, PointCloud, Values};

/// The attribute that says which cloud a point came from.
pub const SOURCE: &str = "source";

/// Several clouds in one.
#[derive(Debug, Clone, PartialEq)]
pub struct Merged {
    /// All points, with the attributes that every cloud has.
    pub cloud: PointCloud,
    /// Names of the attributes that are not in every cloud, or not with as many values a point.
    pub left_out: Vec<String>,
}

/// Puts clouds one after the other; with `number` the attribute [`SOURCE`] tells them apart.
///
/// ```
/// use pellucid::cloud::synth::Shape;
/// use pellucid::merge::merge;
///
/// let scans = [Shape::Sphere.sample(500, 1), Shape::Sphere.sample(300, 2).without_attributes()];
/// let all = merge(&scans, true)?;
/// assert_eq!(all.cloud.len(), 800);
/// assert_eq!(all.left_out, ["normal"]);
/// assert_eq!(all.cloud.attribute("source").and_then(|a| a.values().get_f64(500)), Some(1.0));
/// # Ok::<(), pellucid::cloud::CloudError>(())
/// ```
pub fn merge(clouds: &[PointCloud], number: bool) -> Result<Merged, CloudError> {
    let points: Vec<Point> = clouds.iter().flat_map(|c| c.positions()).copied().collect();
    let mut cloud = PointCloud::new(points);
    let mut left_out = Vec::new();
    for name in attribute_names(clouds) {
        let of = |c: &PointCloud| c.attribute(name).map(|a| (a.width(), a.values().clone()));
        let parts: Vec<(usize, Values)> = clouds.iter().filter_map(of).collect();
        let width = parts[0].0;
        let alike = parts.len() == clouds.len() && parts.iter().all(|p| p.0 == width);
        let values = if alike { joined(parts.into_iter().map(|p| p.1).collect()) } else { None };
        match values {
            Some(values) => cloud.set_attribute(Attribute::vector(name, width, values))?,
            None => left_out.push(name.to_owned()),
        }
    }
    if number {
        let number = |(i, c): (usize, &PointCloud)| std::iter::repeat_n(i as u32, c.len());
        let numbers = clouds.iter().enumerate().flat_map(number).collect();
        cloud.set_attribute(Attribute::scalar(SOURCE, Values::U32(numbers)))?;
    }
    Ok(Merged { cloud, left_out })
}

/// Names of the attributes that every cloud has in the same form, and of all others. One point of each cloud
/// is enough to know, so that files can be merged piece by piece.
pub fn shared_attributes(clouds: &[PointCloud]) -> (Vec<String>, Vec<String>) {
    let form =
        |c: &PointCloud, name: &str| c.attribute(name).map(|a| (a.width(), a.values().type_name()));
    let is_alike = |name: &str| clouds.windows(2).all(|w| form(&w[0], name) == form(&w[1], name));
    attribute_names(clouds).into_iter().map(str::to_owned).partition(|name| is_alike(name))
}

/// Names of all attributes, in the order in which they come up.
fn attribute_names(clouds: &[PointCloud]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for a in clouds.iter().flat_map(PointCloud::attributes) {
        if !names.contains(&a.name()) {
            names.push(a.name());
        }
    }
    names
}

/// Values one after the other: of one type as they are, of several as doubles.
fn joined(parts: Vec<Values>) -> Option<Values> {
    macro_rules! same {
        ($($kind:ident),*) => {
            match &parts[0] {
                $(Values::$kind(_) if parts.iter().all(|p| matches!(p, Values::$kind(_))) => {
                    let mut all = Vec::new();
                    for part in parts {
                        if let Values::$kind(v) = part {
                            all.extend(v);
                        }
                    }
                    Some(Values::$kind(all))
                })*
                _ => {
                    let numbers = parts.iter().flat_map(|p| (0..p.len()).map(|i| p.get_f64(i)));
                    numbers.collect::<Option<Vec<f64>>>().map(Values::F64)
                }
            }
        };
    }
    same!(U8, I8, U16, I16, U32, I32, U64, I64, F32, F64, Text)
}
