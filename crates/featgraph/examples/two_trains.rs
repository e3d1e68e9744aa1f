//! Two trains (Eq. 8–10): a learned metric ignores what a diagonal one cannot.
//!
//! `cargo run -p featgraph --example two_trains`
#![allow(clippy::print_stdout)]

#[path = "shared/two_trains.rs"]
mod two_trains;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let found = two_trains::run()?;
    let m = found.learned.values();
    println!("positions at two times as features, velocity as signal; trace at most 2");
    println!("learned M      [{:7.4} {:7.4}]", m[0], m[1]);
    println!("               [{:7.4} {:7.4}]", m[2], m[3]);
    let diagonal = found.diagonal.diagonal();
    println!("diagonal M      {:7.4} {:7.4}", diagonal[0], diagonal[1]);
    println!("distance of two trains of equal velocity, 10 apart, over that of two at one place");
    println!("whose velocities differ by 1:");
    println!("  learned  {:10.2e}", found.learned_confusion);
    println!("  diagonal {:10.2e}", found.diagonal_confusion);
    println!(
        "objective: learned {:.4}, diagonal {:.4}",
        found.learned_objective, found.diagonal_objective
    );
    Ok(())
}
