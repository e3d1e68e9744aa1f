//! What a learned metric says, in words.

/// Features that are named, at most.
const NAMED: usize = 3;
/// A coupling below this share of what two features could have goes unmentioned.
const COUPLED: f64 = 0.15;
/// So does one that is small beside the trace.
const NOTABLE: f64 = 0.03;

/// Which features mattered: sentences about a metric whose rows are `features`.
///
/// ```
/// let m = vec![vec![3.0, 0.0], vec![0.0, 1.0]];
/// let words = pellucid_page::metric_in_words(&m, &["x".to_owned(), "nx".to_owned()]);
/// assert_eq!(words[0], "Differences in x count most (75 % of the trace), then nx (25 %).");
/// ```
pub fn metric_in_words(metric: &[Vec<f64>], features: &[String]) -> Vec<String> {
    let n = metric.len().min(features.len());
    let at = |i: usize, j: usize| metric[i].get(j).copied().unwrap_or(0.0);
    let trace: f64 = (0..n).map(|i| at(i, i)).sum();
    if n == 0 || !trace.is_finite() || trace <= 0.0 {
        return vec!["No feature tells points apart.".to_owned()];
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| at(b, b).total_cmp(&at(a, a)));
    let share = |i: usize| format!("{:.0} %", 100.0 * at(i, i) / trace);
    let first = order[0];
    let mut line =
        format!("Differences in {} count most ({} of the trace)", features[first], share(first));
    let rest: Vec<String> =
        order[1..n.min(NAMED)].iter().map(|&i| format!("{} ({})", features[i], share(i))).collect();
    if !rest.is_empty() {
        line += &format!(", then {}", rest.join(" and "));
    }
    let mut words = vec![line + "."];
    let even = at(order[n - 1], order[n - 1]) / at(first, first);
    if n > 1 && even > 0.8 {
        words.push("All features count nearly alike.".to_owned());
    } else if let Some(&last) = order.last().filter(|_| n > NAMED) {
        words.push(format!("{} counts least ({}).", features[last], share(last)));
    }
    let mut pairs = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            let most = (at(i, i) * at(j, j)).sqrt();
            let coupling = if most > 0.0 { at(i, j) / most } else { 0.0 };
            if coupling.abs() >= COUPLED && at(i, j).abs() >= NOTABLE * trace {
                pairs.push((coupling, i, j));
            }
        }
    }
    pairs.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
    if let Some(&(c, i, j)) = pairs.first() {
        let how = if c > 0.0 {
            "together count more than each by itself"
        } else {
            "that change together count less than each by itself"
        };
        words.push(format!("{} and {} {how} (coupling {c:+.2}).", features[i], features[j]));
    } else if n > 1 {
        words.push("No two features are coupled to speak of.".to_owned());
    }
    words
}
