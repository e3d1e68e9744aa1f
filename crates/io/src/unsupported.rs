//! What a file held beyond points and attributes that another format cannot store.

use crate::document::{Detail, Dropped, Source};
use crate::format::Format;

impl Source {
    /// Everything that writing as `format` leaves behind, with the reason.
    pub(crate) fn left_behind(&self, format: Format) -> Vec<Dropped> {
        let las = |f: Format| matches!(f, Format::Las | Format::Laz);
        let same = |f: Format| f == format || las(f) && las(format);
        if self.format.is_none_or(same) {
            return Vec::new();
        }
        let mut left = self.records(format);
        if !format.holds_comments() && !self.comments.is_empty() {
            left.push(counted(self.comments.len(), "comment"));
        }
        let reason = format!("{} cannot store it", format.name());
        left.into_iter().map(|attribute| Dropped { attribute, reason: reason.clone() }).collect()
    }

    /// Names of what only the file's own format holds.
    fn records(&self, format: Format) -> Vec<String> {
        let faces = |n: usize| {
            (n > 0 && !format.holds_faces()).then(|| counted(n, "face")).into_iter().collect()
        };
        match &self.detail {
            Detail::Las(las) => las.records(),
            Detail::Ply(ply) => {
                let kept = |name: &str| name == "face" && format.holds_faces();
                let others = ply.other_elements().into_iter();
                let left = others.filter(|(name, count)| *count > 0 && !kept(name));
                left.map(|(name, n)| format!("{} \"{name}\"", counted(n, "element"))).collect()
            }
            Detail::Obj(obj) => {
                let mut left: Vec<String> = faces(obj.faces.len());
                left.extend(obj.other_lines());
                left
            }
            Detail::Off(off) => faces(off.faces.len()),
            Detail::Stl(stl) => faces(stl.facets()),
            Detail::Pcd(pcd) => {
                let grid = pcd.grid().map(|(w, h)| format!("the grid of {w} x {h} points"));
                let eye = pcd.viewpoint().map(|_| "the viewpoint".to_owned());
                grid.into_iter().chain(eye).collect()
            }
            Detail::E57(e57) => e57.records(),
            Detail::E57Parts(parts) => parts.records(),
            Detail::Ptx(ptx) => {
                vec![format!("the poses and grids of {}", counted(ptx.scans(), "scan"))]
            }
            Detail::Npz(npz) => {
                npz.others().iter().map(|name| format!("the array \"{name}\"")).collect()
            }
            Detail::Npy(_) | Detail::Text(_) | Detail::None => Vec::new(),
        }
    }
}

/// A number and what there is as many of.
pub(crate) fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
