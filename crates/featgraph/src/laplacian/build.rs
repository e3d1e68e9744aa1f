//! Pair list to symmetric rows: scatter in parallel, sort each row, merge.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use super::csr::{Csr, ROWS};
use super::{Duplicate, GraphError, check_pairs};

/// Symmetric matrix of the weights, without diagonal.
pub(super) fn adjacency(
    nodes: usize,
    pairs: &[(u32, u32)],
    weights: &[f64],
    duplicate: Duplicate,
) -> Result<Csr, GraphError> {
    check_pairs(nodes, pairs, weights)?;
    let (starts, mut slots) = scatter(nodes, pairs, weights);
    // The scatter ran in any order; column, then pair index, is the one order that remains.
    let mut blocks = split_rows(&starts, &mut slots);
    let unique: Vec<Vec<usize>> = blocks
        .par_iter_mut()
        .map(|(rows, slots)| {
            let first = starts[rows.start];
            let count = |i: usize| {
                let row = &mut slots[starts[i] - first..starts[i + 1] - first];
                row.sort_unstable();
                row.chunk_by(|a, b| a >> 32 == b >> 32).count()
            };
            rows.clone().map(count).collect()
        })
        .collect();
    let mut offsets = Vec::with_capacity(nodes + 1);
    offsets.push(0usize);
    for count in unique.iter().flatten() {
        offsets.push(offsets[offsets.len() - 1] + count);
    }
    let total = offsets[nodes];
    let (mut columns, mut values) = (vec![0u32; total], vec![0.0; total]);
    let column_blocks = split_rows(&offsets, &mut columns);
    let value_blocks = split_rows(&offsets, &mut values);
    column_blocks.into_par_iter().zip(value_blocks).for_each(|((rows, columns), (_, values))| {
        let slots = &slots[starts[rows.start]..starts[rows.end]];
        let mut at = 0;
        let mut used = 0;
        for i in rows {
            let length = starts[i + 1] - starts[i];
            let row = &slots[used..used + length];
            used += length;
            for same in row.chunk_by(|a, b| a >> 32 == b >> 32) {
                columns[at] = (same[0] >> 32) as u32;
                values[at] = merge(same, pairs, weights, duplicate);
                at += 1;
            }
        }
    });
    Ok(Csr { width: nodes, offsets, columns, values })
}

/// For every row the packed (column, pair index), in whatever order the threads came.
fn scatter(nodes: usize, pairs: &[(u32, u32)], weights: &[f64]) -> (Vec<usize>, Vec<u64>) {
    let real = |(ends, weight): &(&(u32, u32), &f64)| ends.0 != ends.1 && **weight > 0.0;
    let counts: Vec<AtomicU32> = (0..nodes).map(|_| AtomicU32::new(0)).collect();
    pairs.par_iter().zip(weights).filter(real).for_each(|(ends, _)| {
        for end in [ends.0, ends.1] {
            counts[end as usize].fetch_add(1, Relaxed);
        }
    });
    let mut starts = Vec::with_capacity(nodes + 1);
    starts.push(0usize);
    for count in &counts {
        starts.push(starts[starts.len() - 1] + count.load(Relaxed) as usize);
    }
    let slots: Vec<AtomicU64> = (0..starts[nodes]).map(|_| AtomicU64::new(0)).collect();
    pairs.par_iter().zip(weights).enumerate().for_each(|(index, item)| {
        if real(&item) {
            let (i, j) = *item.0;
            for (row, column) in [(i, j), (j, i)] {
                // Counting down to zero hands every slot of the row out once.
                let place = counts[row as usize].fetch_sub(1, Relaxed) as usize - 1;
                let packed = u64::from(column) << 32 | index as u64;
                slots[starts[row as usize] + place].store(packed, Relaxed);
            }
        }
    });
    (starts, slots.into_iter().map(AtomicU64::into_inner).collect())
}

/// The weight of one pair from all its listings, which come in the order of the list; both rows
/// of a pair see the same order, so that the matrix is symmetric to the last bit.
fn merge(same: &[u64], pairs: &[(u32, u32)], weights: &[f64], duplicate: Duplicate) -> f64 {
    let indices = || same.iter().map(|&packed| packed as u32 as usize);
    let is_lower = |&index: &usize| pairs[index].0 > pairs[index].1;
    match duplicate {
        Duplicate::Add => indices().map(|index| weights[index]).sum(),
        Duplicate::Max => indices().map(|index| weights[index]).fold(0.0, f64::max),
        Duplicate::KeepLower => {
            let lower = indices().any(|index| is_lower(&index));
            let kept = indices().filter(|index| !lower || is_lower(index));
            kept.map(|index| weights[index]).sum()
        }
    }
}

type Block<'a, T> = (std::ops::Range<usize>, &'a mut [T]);

/// Cuts storage by rows into blocks of a fixed number of rows.
pub(super) fn split_rows<'a, T>(offsets: &[usize], mut storage: &'a mut [T]) -> Vec<Block<'a, T>> {
    let rows = offsets.len() - 1;
    let mut blocks = Vec::with_capacity(rows.div_ceil(ROWS));
    for start in (0..rows).step_by(ROWS) {
        let end = (start + ROWS).min(rows);
        let (head, rest) = storage.split_at_mut(offsets[end] - offsets[start]);
        blocks.push((start..end, head));
        storage = rest;
    }
    blocks
}
