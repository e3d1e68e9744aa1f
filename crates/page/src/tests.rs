use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::DeflateDecoder;
use pellucid::PointCloud;
use pellucid::cloud::{Attribute, KdTree, Point, Values};
use serde_json::{Value, json};

use super::*;

/// A sphere of radius ten around a place, and the same moved a little.
fn clouds(n: usize, middle: Point) -> (PointCloud, PointCloud) {
    let at = |i: usize, r: f64| {
        let z = 1.0 - (2.0 * i as f64 + 1.0) / n as f64;
        let a = 2.399_963_229_728_653 * i as f64;
        let s = (1.0 - z * z).sqrt();
        let p = [s * a.cos(), s * a.sin(), z];
        [0, 1, 2].map(|c| middle[c] + r * p[c])
    };
    let mut before = PointCloud::new((0..n).map(|i| at(i, 10.0)).collect());
    let values = Values::I32((0..n as i32).map(|i| i % 1000 - 300).collect());
    before.set_attribute(Attribute::scalar("count", values)).unwrap();
    let after = before.with_positions((0..n).map(|i| at(i, 10.1)).collect()).unwrap();
    (before, after)
}

fn bytes(group: &Group, id: &Value) -> Vec<u8> {
    let block = group.blocks.iter().find(|b| b.id == id.as_str().unwrap()).unwrap();
    let mut out = Vec::new();
    let squeezed = STANDARD.decode(&block.text).unwrap();
    DeflateDecoder::new(squeezed.as_slice()).read_to_end(&mut out).unwrap();
    out
}

/// The reverse of the packing, written a second time as the page does it.
fn sums(bytes: &[u8], width: usize, base: Option<&[u16]>) -> Vec<u16> {
    let n = bytes.len() / (2 * width);
    let mut out = vec![0_u16; n * width];
    for c in 0..width {
        let mut last = 0_u16;
        for i in 0..n {
            let k = i * width + c;
            let step = u16::from_le_bytes([bytes[2 * c * n + i], bytes[(2 * c + 1) * n + i]]);
            last = base.map_or(last, |b| b[k]).wrapping_add(step);
            out[k] = last;
        }
    }
    out
}

#[test]
fn positions_come_back_within_half_a_step_also_far_from_the_origin() {
    let (before, after) = clouds(5_000, [4.5e6, -3e5, 120.0]);
    let layers = [Layer::new("a", &before), Layer::new("b", &after).moved_from(0)];
    let group = Group::pack("x", &layers, 1_000_000, 24_000_000);
    let step: Vec<f64> = serde_json::from_value(group.meta["step"].clone()).unwrap();
    let origin: Vec<f64> = serde_json::from_value(group.meta["origin"].clone()).unwrap();
    assert!(step.iter().all(|s| *s < 20.3 / 65_000.0), "{step:?}");
    let layer = |k: usize| group.meta["layers"][k].clone();
    let a = sums(&bytes(&group, &layer(0)["position"]), 3, None);
    let b = sums(&bytes(&group, &layer(1)["position"]), 3, Some(&a));
    for (codes, cloud) in [(&a, &before), (&b, &after)] {
        for (i, p) in cloud.positions().iter().enumerate() {
            for c in 0..3 {
                let back = origin[c] + f64::from(codes[3 * i + c]) * step[c];
                assert!((back - p[c]).abs() <= 0.5 * step[c] + 1e-8, "{back} is not {}", p[c]);
            }
        }
    }
}

#[test]
fn numbers_are_exact_where_they_are_whole_and_shared_where_points_only_moved() {
    let (before, after) = clouds(3_000, [0.0; 3]);
    let truth = KdTree::new(before.positions());
    let layers = [
        Layer::new("a", &before).truth(Some(&truth)),
        Layer::new("b", &after).moved_from(0).truth(Some(&truth)),
    ];
    let group = Group::pack("x", &layers, 1_000_000, 24_000_000);
    let scalars = &group.meta["layers"][0]["scalars"];
    assert_eq!(scalars[1]["name"], "count");
    assert_eq!(scalars[1]["exact"], true);
    let lo = scalars[1]["lo"].as_f64().unwrap();
    let codes = sums(&bytes(&group, &scalars[1]["data"]), 1, None);
    for (i, c) in codes.iter().enumerate() {
        assert_eq!(lo + f64::from(*c), (i as i32 % 1000 - 300) as f64);
    }
    let moved = &group.meta["layers"][1]["scalars"];
    assert_eq!(moved.as_array().unwrap().len(), 1);
    assert_eq!(moved[0]["name"], "distance to truth");
    // Each point is a tenth from where it was.
    let (lo, step) = (moved[0]["lo"].as_f64().unwrap(), moved[0]["step"].as_f64().unwrap());
    assert!(lo > 0.09 && lo + 65534.0 * step < 0.1001, "{lo} {step}");
}

#[test]
fn large_clouds_are_thinned_and_numbers_left_out_to_fit() {
    let (before, after) = clouds(20_000, [0.0; 3]);
    let layers = [Layer::new("a", &before), Layer::new("b", &after).moved_from(0)];
    let thinned = Group::pack("x", &layers, 5_000, 24_000_000);
    assert_eq!(thinned.meta["stride"], 4);
    assert_eq!(thinned.meta["layers"][0]["shown"], 5_000);
    let whole = Group::pack("x", &layers, 1_000_000, 24_000_000);
    let size = |g: &Group| g.blocks.iter().map(|b| b.text.len()).sum::<usize>();
    let tight = Group::pack("x", &layers, 1_000_000, size(&whole) - 1);
    assert_eq!(tight.meta["left_out"], json!(["count"]));
    assert_eq!(tight.meta["stride"], 1);
    let tighter = Group::pack("x", &layers, 1_000_000, size(&whole) / 3);
    assert!(tighter.meta["stride"].as_u64() > Some(1));
    assert!(size(&tighter) <= size(&whole) / 3);
}

#[test]
fn a_far_outlier_takes_no_precision_and_is_not_drawn() {
    let (before, _) = clouds(5_000, [0.0; 3]);
    let mut points = before.positions().to_vec();
    points[77] = [1e9, 0.0, 0.0];
    points[78] = [f64::NAN; 3];
    let cloud = PointCloud::new(points);
    let group = Group::pack("x", &[Layer::new("a", &cloud)], 1_000_000, 24_000_000);
    let layer = &group.meta["layers"][0];
    assert_eq!(layer["hidden"], 2);
    assert!(group.meta["step"][0].as_f64().unwrap() < 0.01);
    let sizes = bytes(&group, &layer["size"]);
    assert_eq!(sizes.iter().filter(|s| **s == 0).count(), 2);
    assert_eq!((sizes[77], sizes[78]), (0, 0));
}

#[test]
fn degenerate_clouds_give_pages() {
    for points in [vec![], vec![[1.0, 2.0, 3.0]], vec![[0.0; 3]; 50], vec![[f64::NAN; 3]; 3]] {
        let cloud = PointCloud::new(points);
        let mut page = Page::new("t");
        page.groups.push(Group::pack("x", &[Layer::new("a", &cloud)], 1_000, 1_000_000));
        assert!(page.html().unwrap().ends_with("</html>\n"));
    }
}

#[test]
fn names_cannot_leave_their_place() {
    let evil = "</script><script>alert(1)</script><!--\u{2028}{{meta}}";
    let mut cloud = PointCloud::new(vec![[0.0; 3], [1.0; 3]]);
    cloud.set_attribute(Attribute::scalar(evil, Values::F32(vec![1.0, 2.0]))).unwrap();
    let mut page = Page::new(evil);
    page.groups.push(Group::pack(evil, &[Layer::new(evil, &cloud)], 1_000, 1_000_000));
    let html = page.html().unwrap();
    assert!(!html.contains("alert(1)</script>"));
    assert!(!html.contains("<!--"));
    // The data still says the name as it is.
    let start = html.find("id=\"meta\">").unwrap() + 10;
    let end = start + html[start..].find("</script>").unwrap();
    let meta: Value = serde_json::from_str(&html[start..end]).unwrap();
    assert_eq!(meta["groups"][0]["layers"][0]["scalars"][0]["name"], evil);
    assert_eq!(meta["title"], evil);
}

#[test]
fn a_metric_is_described_in_words() {
    let names = ["x", "y", "nx", "ny"].map(str::to_owned);
    let mut m = vec![vec![0.0; 4]; 4];
    for (i, v) in [1.0, 4.0, 2.0, 0.5].into_iter().enumerate() {
        m[i][i] = v;
    }
    m[1][2] = -1.0;
    m[2][1] = -1.0;
    let words = metric_in_words(&m, &names).join(" ");
    assert!(words.starts_with("Differences in y count most (53 % of the trace), then nx (27 %)"));
    assert!(words.contains("ny counts least (7 %)"), "{words}");
    assert!(words.contains("y and nx that change together count less"), "{words}");
    assert_eq!(metric_in_words(&[], &[]), ["No feature tells points apart."]);
}
