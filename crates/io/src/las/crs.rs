//! The coordinate system that a LAS file names.

use las::raw::Vlr;

use super::{file, wkt};

const USER: &str = "LASF_Projection";
const WKT: u16 = 2112;
const GEO_KEYS: u16 = 34_735;
const GEO_TEXTS: u16 = 34_737;

/// Keys of GeoTIFF: the system by its EPSG number, its name, and the unit of length.
const PROJECTED: u16 = 3072;
const GEOGRAPHIC: u16 = 2048;
const CITATIONS: [u16; 2] = [1026, 3073];
const LINEAR_UNIT: u16 = 3076;

/// Name of the coordinate system and its unit of length, as far as the records say.
pub(super) fn of<'a>(records: impl Iterator<Item = &'a Vlr> + Clone) -> Option<String> {
    let find = |id: u16| records.clone().find(|v| file::is(v, USER, id)).map(|v| v.data.as_slice());
    if let Some(text) = find(WKT) {
        let text = String::from_utf8_lossy(text);
        return wkt::describe(text.trim_end_matches('\0'));
    }
    geo_keys(find(GEO_KEYS)?, find(GEO_TEXTS).unwrap_or_default())
}

/// The same out of the keys of GeoTIFF: four numbers each after the first four.
fn geo_keys(keys: &[u8], texts: &[u8]) -> Option<String> {
    let number = |b: &[u8]| u16::from_le_bytes([b[0], b[1]]);
    let keys: Vec<[u16; 4]> = keys
        .chunks_exact(8)
        .skip(1)
        .map(|k| [number(k), number(&k[2..]), number(&k[4..]), number(&k[6..])])
        .collect();
    let value = |id: u16| keys.iter().find(|k| k[0] == id && k[1] == 0).map(|k| k[3]);
    let text = |id: u16| {
        let key = keys.iter().find(|k| k[0] == id && k[1] == GEO_TEXTS)?;
        let (from, len) = (usize::from(key[3]), usize::from(key[2]));
        let text = texts.get(from..from.checked_add(len)?)?;
        let text = String::from_utf8_lossy(text);
        let text = text.trim_end_matches(['\0', '|']).trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let system = value(PROJECTED).or_else(|| value(GEOGRAPHIC)).filter(|&n| n != 32_767);
    let name = CITATIONS.into_iter().find_map(text);
    let name = match (name, system) {
        (Some(name), Some(n)) => format!("{name} (EPSG:{n})"),
        (Some(name), None) => name,
        (None, Some(n)) => format!("EPSG:{n}"),
        (None, None) => return None,
    };
    let unit = match value(LINEAR_UNIT) {
        Some(9001) => ", in metres",
        Some(9002) => ", in feet",
        Some(9003) => ", in US survey feet",
        _ => "",
    };
    Some(name + unit)
}
