//! Prototype.
use crate::patch::knob;
use featgraph::edges::Edges;
use featgraph::learn::{self, LearnParams};
use pellucid_cloud::{KdTree, NeighborTable, Point, normals, vec3};
use rayon::prelude::*;

pub struct Plan {
    pub size: usize,
    pub share: f64,
    pub trace: f64,
    pub scale: f64,
    pub gamma: f64,
    pub flat: f64,
    pub sideways: f64,
    pub normal_k: usize,
    pub near: usize,
    pub apart: f64,
    pub learn: bool,
}

pub struct Out {
    pub next: Vec<Point>,
    pub normals: Vec<Point>,
    pub table: NeighborTable,
    pub metric: Vec<f64>,
    pub secs: Vec<(&'static str, f64)>,
}

fn delta(n: &[Point], side: &[bool], i: usize, j: usize) -> Point {
    let c = vec3::dot(n[i], n[j]);
    if c < 0.0 && !(side[i] && side[j]) { vec3::add(n[i], n[j]) } else { vec3::sub(n[i], n[j]) }
}

/// Maximal independent set of the kNN graph by rank.
fn centers(table: &NeighborTable, m: usize, rank: &[u64]) -> Vec<u32> {
    use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
    let n = table.len();
    let state: Vec<AtomicU8> = (0..n).map(|_| AtomicU8::new(0)).collect();
    let best: Vec<AtomicU64> = (0..n).map(|_| AtomicU64::new(0)).collect();
    let mut open: Vec<u32> = (0..n as u32).collect();
    let key = |i: usize| (rank[i] & !0xffff_ffff) | i as u64 | 1 << 63;
    while !open.is_empty() {
        open.par_iter().with_min_len(512).for_each(|&i| {
            let i = i as usize;
            let k = key(i);
            for &j in &table.row(i)[..m.min(table.k())] {
                if j == u32::MAX { continue; }
                let j = j as usize;
                if state[j].load(Relaxed) == 0 {
                    best[j].fetch_max(k, Relaxed);
                    best[i].fetch_max(key(j), Relaxed);
                }
            }
            best[i].fetch_max(k, Relaxed);
        });
        open.par_iter().with_min_len(512).for_each(|&i| {
            let i = i as usize;
            if best[i].load(Relaxed) == key(i) {
                state[i].store(1, Relaxed);
            }
        });
        open.par_iter().with_min_len(512).for_each(|&i| {
            let i = i as usize;
            let chosen = state[i].load(Relaxed) == 1;
            for &j in &table.row(i)[..m.min(table.k())] {
                if j == u32::MAX || j as usize == i { continue; }
                let j = j as usize;
                if chosen { state[j].store(2, Relaxed); }
                else if state[j].load(Relaxed) == 1 { state[i].store(2, Relaxed); }
            }
        });
        open.retain(|&i| state[i as usize].load(Relaxed) == 0);
        open.par_iter().for_each(|&i| best[i as usize].store(0, Relaxed));
    }
    (0..n as u32).filter(|&i| state[i as usize].load(Relaxed) == 1).collect()
}

pub fn round(y: &[Point], ordinals: &[u32], plan: &Plan, index: usize, seed: u64, given: Option<&[f64]>) -> Out {
    let mut secs = Vec::new();
    let mut t0 = std::time::Instant::now();
    let mut lap = |name: &'static str| { secs.push((name, t0.elapsed().as_secs_f64())); t0 = std::time::Instant::now(); };
    let inside = (knob("INSIDE", 1.55) / plan.share).round() as usize;
    let k = plan.normal_k.max(plan.size).max(inside).min(y.len());
    let size = plan.size.min(k);
    let table = KdTree::new(y).knn_table(k);
    lap("knn");
    let mut n = normals::estimate_normals(y, &table);
    lap("normals");
    if knob("SIGNED", 0.0) > 0.0 { normals::orient_consistently(y, &mut n, &table); }
    let mut side = normals::sides(y, &mut n, &table);
    if knob("SIGNED", 0.0) > 0.0 { side.fill(true); }
    lap("sides");
    let draw = seed ^ (if knob("REDRAW", 0.0) > 0.0 { index as u64 } else { 1 }).wrapping_mul(0xd1b5_4a32_d192_ed03);
    let rank: Vec<u64> = ordinals.iter().map(|&r| crate::graph::scramble(u64::from(r) ^ crate::graph::scramble(draw))).collect();
    let rank: Vec<u64> = match knob("RANK", 0.0) as u32 {
        1 => (0..y.len()).into_par_iter().map(|i| {
            let row = &table.row(i)[..(knob("RANKK", 20.0) as usize).min(k)];
            let sum = row.iter().fold([0.0; 3], |s, &j| vec3::add(s, y[j as usize]));
            let d = vec3::sub(vec3::scale(sum, 1.0 / row.len() as f64), y[i]);
            (vec3::norm(d).to_bits() >> 1) | (rank[i] & 0xf_ffff)
        }).collect(),
        2 => (0..y.len()).into_par_iter().map(|i| {
            (table.distances2(i)[(knob("RANKK", 8.0) as usize).min(k - 1)].to_bits() >> 1) | (rank[i] & 0xf_ffff)
        }).collect(),
        _ => rank,
    };
    let mut c = if knob("FPS", 0.0) > 0.0 { pellucid_cloud::sample::farthest_points(y, (plan.share * y.len() as f64) as usize, 0) } else if knob("DISK", 0.0) > 0.0 {
        let kk = ((knob("DISK", 0.0) / plan.share).round() as usize).min(k - 1);
        let mut reach: Vec<f64> = (0..y.len()).map(|i| table.distances2(i)[kk]).collect();
        let mid = reach.len() / 2;
        let r = reach.select_nth_unstable_by(mid, f64::total_cmp).1.sqrt();
        pellucid_cloud::sample::poisson_disk_by_rank(y, r, &rank)
    } else { centers(&table, inside, &rank) };
    if std::env::var("COUNT").is_ok() { eprintln!("centers {} of {} share {:.3}", c.len(), y.len(), c.len() as f64 / y.len() as f64); }
    lap("centers");
    // patches
    let ap2 = plan.apart * plan.apart;
    let fill = |c: &[u32]| -> Vec<u32> {
        let mut members = vec![0u32; c.len() * size];
        members.par_chunks_mut(size).zip(c).with_min_len(64).for_each_init(Vec::new, |o: &mut Vec<(f64, u32)>, (row, &c)| {
            let c = c as usize;
            o.clear();
            for (&j, &d2) in table.row(c).iter().zip(table.distances2(c)) {
                if j == u32::MAX { continue; }
                let d = delta(&n, &side, c, j as usize);
                o.push((d2 + ap2 * vec3::dot(d, d), j));
            }
            let by = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
            if size < o.len() { o.select_nth_unstable_by(size - 1, by); }
            row.iter_mut().zip(&*o).for_each(|(m, o)| *m = o.1);
            if !row.contains(&(c as u32)) { row[0] = c as u32; }
        });
        members
    };
    let mut members = fill(&c);
    let mut covered = vec![false; y.len()];
    for &m in &members { covered[m as usize] = true; }
    let extra: Vec<u32> = (0..y.len() as u32).filter(|&i| !covered[i as usize]).collect();
    members.extend(fill(&extra));
    if std::env::var("COUNT").is_ok() { eprintln!("extra {}", extra.len()); }
    c.extend(extra);
    lap("patches");
    let np = c.len();
    let origin: Vec<(Point, Point)> = (0..np).into_par_iter().with_min_len(64).map(|s| {
        let row = &members[s * size..(s + 1) * size];
        let mut o = [0.0; 3];
        let mut nn = [0.0; 3];
        for &m in row {
            o = vec3::add(o, y[m as usize]);
            let d = n[m as usize];
            let f = if vec3::dot(d, n[c[s] as usize]) < 0.0 { -1.0 } else { 1.0 };
            nn = vec3::add(nn, vec3::scale(d, f));
        }
        (vec3::scale(o, 1.0 / size as f64), vec3::normalized(nn).unwrap_or_default())
    }).collect();
    // flattened places
    let flat: Vec<[f32; 3]> = (0..np).into_par_iter().with_min_len(64).flat_map_iter(|s| {
        let (o, nn) = origin[s];
        let f = 1.0 - plan.flat;
        let y = &y; let members = &members;
        (0..size).map(move |a| {
            let v = vec3::sub(y[members[s * size + a] as usize], o);
            let v = vec3::sub(v, vec3::scale(nn, f * vec3::dot(v, nn)));
            [v[0] as f32, v[1] as f32, v[2] as f32]
        })
    }).collect();
    lap("flat");
    // neighbours
    let near = plan.near;
    let at: Vec<Point> = c.iter().map(|&c| y[c as usize]).collect();
    let cand = (3 * near + 1).min(np);
    let ct = KdTree::new(&at).knn_table(cand);
    let mut linked = vec![u32::MAX; np * near];
    linked.par_chunks_mut(near).enumerate().with_min_len(64).for_each_init(Vec::new, |o: &mut Vec<(f64, u32)>, (s, row)| {
        o.clear();
        for (&t, &d2) in ct.row(s).iter().zip(ct.distances2(s)) {
            if t == u32::MAX || t as usize == s { continue; }
            let d = delta(&n, &side, c[s] as usize, c[t as usize] as usize);
            o.push((d2 + ap2 * vec3::dot(d, d), t));
        }
        let by = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if near < o.len() { o.select_nth_unstable_by(near - 1, by); o.truncate(near); }
        o.sort_unstable_by(by);
        row.iter_mut().zip(&*o).for_each(|(m, o)| *m = o.1);
    });
    lap("links");
    let slot = |s: usize, t: usize, a: usize| -> usize {
        let v = flat[s * size + a];
        let mut best = (f32::INFINITY, 0);
        for (b, u) in flat[t * size..(t + 1) * size].iter().enumerate() {
            let d = (v[0] - u[0]).powi(2) + (v[1] - u[1]).powi(2) + (v[2] - u[2]).powi(2);
            if d < best.0 { best = (d, b); }
        }
        best.1
    };
    let g = |p: usize, q: usize| -> [f64; 6] {
        let d = vec3::scale(vec3::sub(y[p], y[q]), plan.scale);
        let e = delta(&n, &side, p, q);
        [d[0], d[1], d[2], e[0], e[1], e[2]]
    };
    let metric: Vec<f64> = match given {
        Some(m) => m.to_vec(),
        None if plan.learn => {
            let want = (4000.0 / np as f64).min(1.0);
            let mut cols = vec![Vec::new(); 6];
            let mut dist = Vec::new();
            for s in 0..np {
                if (crate::graph::scramble(u64::from(ordinals[c[s] as usize]) ^ 77) as f64) >= want * 2.0f64.powi(64) { continue; }
                for &t in &linked[s * near..(s + 1) * near] {
                    if t == u32::MAX { continue; }
                    for a in 0..size {
                        let b = slot(s, t as usize, a);
                        let (p, q) = (members[s * size + a] as usize, members[t as usize * size + b] as usize);
                        let g = g(p, q);
                        cols.iter_mut().zip(g).for_each(|(c, g)| c.push(g));
                        dist.push(vec3::distance2(y[p], y[q]));
                    }
                }
            }
            let e = Edges::from_columns(Vec::new(), cols, dist).unwrap();
            let lp = LearnParams { trace_limit: plan.trace, solver: learn::Solver::Full, tolerance: 1e-10, max_passes: 60, ..LearnParams::default() };
            learn::learn(&e, &lp).unwrap().metric.values().to_vec()
        }
        None => (0..36).map(|i| if i % 7 == 0 { plan.trace / 6.0 } else { 0.0 }).collect(),
    };
    lap("learn");
    // weights
    let mut slots = vec![0u8; np * near * size];
    let bias = knob("HALF", 0.0) > 0.0;
    let mut weights = vec![0f32; np * near * size];
    slots.par_chunks_mut(near * size).zip(weights.par_chunks_mut(near * size)).enumerate().with_min_len(32).for_each(|(s, (slots, weights))| {
        for (e, &t) in linked[s * near..(s + 1) * near].iter().enumerate() {
            if t == u32::MAX { continue; }
            let t = t as usize;
            for a in 0..size {
                let b = slot(s, t, a);
                let (p, q) = (members[s * size + a] as usize, members[t * size + b] as usize);
                let g = g(p, q);
                let mut en = 0.0;
                for i in 0..6 { let mut r = 0.0; for j in 0..6 { r += metric[6 * i + j] * g[j]; } en += g[i] * r; }
                slots[e * size + a] = b as u8;
                weights[e * size + a] = (-en).exp() as f32;
                if bias && linked[t * near..(t + 1) * near].contains(&(s as u32)) && slot(t, s, b) == a { weights[e * size + a] *= 0.5; }
            }
        }
    });
    lap("weights");
    // incoming links
    let mut istart = vec![0u32; np + 1];
    for &t in &linked { if t != u32::MAX { istart[t as usize + 1] += 1; } }
    for i in 0..np { istart[i + 1] += istart[i]; }
    let mut cur = istart.clone();
    let mut incoming = vec![0u32; istart[np] as usize];
    for (link, &t) in linked.iter().enumerate() {
        if t != u32::MAX { incoming[cur[t as usize] as usize] = link as u32; cur[t as usize] += 1; }
    }
    // nodes of points
    let mut start = vec![0u32; y.len() + 1];
    for &m in &members { start[m as usize + 1] += 1; }
    for i in 0..y.len() { start[i + 1] += start[i]; }
    let mut cur = start.clone();
    let mut inv = vec![0u32; members.len()];
    for (node, &m) in members.iter().enumerate() { inv[cur[m as usize] as usize] = node as u32; cur[m as usize] += 1; }
    lap("inverse");
    if knob("EVENLY", 0.0) > 0.0 {
        let mean = members.len() as f64 / y.len() as f64;
        let cov = |p: u32| (start[p as usize + 1] - start[p as usize]) as f64;
        weights.par_chunks_mut(near * size).enumerate().for_each(|(s, w)| {
            for (e, &t) in linked[s * near..(s + 1) * near].iter().enumerate() {
                if t == u32::MAX { continue; }
                for a in 0..size {
                    let (p, q) = (members[s * size + a], members[t as usize * size + slots[(s * near + e) * size + a] as usize]);
                    w[e * size + a] *= (mean / (cov(p) * cov(q)).powf(0.5)).powf(knob("EVENLY", 0.0)) as f32;
                }
            }
        });
    }
    // sum over edges of w (x_q + shift - x_p), per point
    let mut nodes = vec![[0.0f64; 4]; np * size];
    let mut pass = |x: &[Point], shifted: bool| -> Vec<[f64; 4]> {
        nodes.par_chunks_mut(size).enumerate().with_min_len(32).for_each(|(s, out)| {
            out.fill([0.0; 4]);
            let own = &members[s * size..(s + 1) * size];
            for (e, &t) in linked[s * near..(s + 1) * near].iter().enumerate() {
                if t == u32::MAX { continue; }
                let t = t as usize;
                let shift = if shifted { vec3::sub(origin[s].0, origin[t].0) } else { [0.0; 3] };
                let base = (s * near + e) * size;
                let other = &members[t * size..(t + 1) * size];
                for a in 0..size {
                    let w = f64::from(weights[base + a]);
                    let xq = x[other[slots[base + a] as usize] as usize];
                    let xp = x[own[a] as usize];
                    let o = &mut out[a];
                    o[0] += w;
                    for c in 0..3 { o[c + 1] += w * (xq[c] + shift[c] - xp[c]); }
                }
            }
            for &link in &incoming[istart[s] as usize..istart[s + 1] as usize] {
                let t = link as usize / near;
                let shift = if shifted { vec3::sub(origin[s].0, origin[t].0) } else { [0.0; 3] };
                let base = link as usize * size;
                let other = &members[t * size..(t + 1) * size];
                for a in 0..size {
                    let w = f64::from(weights[base + a]);
                    let b = slots[base + a] as usize;
                    let xq = x[other[a] as usize];
                    let xp = x[own[b] as usize];
                    let o = &mut out[b];
                    o[0] += w;
                    for c in 0..3 { o[c + 1] += w * (xq[c] + shift[c] - xp[c]); }
                }
            }
        });
        let nodes = &nodes;
        (0..y.len()).into_par_iter().with_min_len(512).map(|i| {
            let mut s = [0.0; 4];
            for &node in &inv[start[i] as usize..start[i + 1] as usize] {
                for (s, v) in s.iter_mut().zip(nodes[node as usize]) { *s += v; }
            }
            s
        }).collect()
    };
    let gamma = plan.gamma;
    let pull = pass(y, true);
    let mut x: Vec<Point> = vec![[0.0; 3]; y.len()];
    let mut old = x.clone();
    let rho2 = knob("RHO", 0.85).powi(2);
    let mut omega = 1.0;
    for k in 0..knob("SWEEPS", 4.0) as usize {
        let a = if k == 0 { Vec::new() } else { pass(&x, false) };
        if k == 1 { omega = 1.0 / (1.0 - 0.5 * rho2); } else if k > 1 { omega = 1.0 / (1.0 - 0.25 * rho2 * omega); }
        let new: Vec<Point> = (0..y.len()).map(|i| {
            let w = pull[i][0];
            let d = 1.0 + gamma * w;
            std::array::from_fn(|c| {
                // residual of (I + gamma A) x = gamma pull
                let ax = if k == 0 { 0.0 } else { x[i][c] - gamma * a[i][c + 1] };
                let step = (gamma * pull[i][c + 1] - ax) / d;
                let jac = x[i][c] + step;
                old[i][c] + omega * (jac - old[i][c])
            })
        }).collect();
        old = std::mem::replace(&mut x, new);
    }
    let next: Vec<Point> = (0..y.len()).map(|i| {
        let d = x[i];
        let h = vec3::dot(d, n[i]);
        let up = vec3::scale(n[i], h);
        vec3::add(y[i], vec3::add(up, vec3::scale(vec3::sub(d, up), plan.sideways)))
    }).collect();
    lap("solve");
    Out { next, normals: n, table, metric, secs }
}

pub fn plan(left: f64) -> Plan {
    let over = (left * left - knob("SIZEAT", 0.5)).max(0.0);
    let l2 = left * left;
    let size = (knob("SIZE0", 9.0) + knob("SIZE1", 0.0) * over).clamp(6.0, knob("SIZEMAX", 32.0)).round();
    Plan {
        size: size as usize,
        share: knob("COVER", 2.7) / size,
        trace: knob("TRACE_C", 4.0) / (1.0 + knob("TRACE1", 0.0) * l2) * 9.0 / size,
        scale: knob("SCALE", 0.45),
        gamma: knob("GAMMA", 0.2) + knob("GAMMA1", 0.0) * l2,
        flat: knob("FLAT", 0.5),
        sideways: knob("SIDE", 1.0),
        normal_k: (knob("NK", 50.0) + knob("NK1", 0.0) * l2).min(100.0) as usize,
        near: knob("NEAR", 10.0) as usize,
        apart: knob("APART", 1.0),
        learn: knob("LEARN", 1.0) > 0.0,
    }
}
