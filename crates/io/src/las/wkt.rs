//! What a coordinate system written as well-known text says: its name, number and unit.

/// `KEYWORD["name", ...]`, with those that it is inside of.
struct Node<'a> {
    keyword: &'a str,
    /// What follows the bracket, up to the end of the text.
    content: &'a str,
    /// Its place in the list of the one around it; `None` for the first.
    parent: Option<usize>,
}

/// Keywords of systems of positions on the map, and of heights.
const MAP: [&str; 3] = ["PROJCS", "PROJCRS", "PROJECTEDCRS"];
const HEIGHT: [&str; 4] = ["VERT_CS", "VERTCS", "VERTCRS", "VERTICALCRS"];
const UNIT: [&str; 3] = ["UNIT", "LENGTHUNIT", "ANGLEUNIT"];

/// Name, number and unit in words.
pub(super) fn describe(text: &str) -> Option<String> {
    let nodes = nodes(text);
    let root = nodes.first()?;
    let mut words = quoted(root.content)?.to_owned();
    // A system of map and heights may have a number for each only.
    let own = authority(&nodes, 0).into_iter().collect::<Vec<_>>();
    let parts = || (0..nodes.len()).filter(|&i| nodes[i].parent == Some(0));
    let numbers = match own.is_empty() && root.keyword.starts_with("COMP") {
        true => parts().filter_map(|i| authority(&nodes, i)).collect(),
        false => own,
    };
    if !numbers.is_empty() {
        words += &format!(" (EPSG:{})", numbers.join("+"));
    }
    let unit_in = |keywords: &[&str]| {
        nodes.iter().find_map(|n| {
            let around = nodes[n.parent?].keyword;
            let found = UNIT.contains(&n.keyword) && keywords.contains(&around);
            found.then(|| quoted(n.content)).flatten()
        })
    };
    let any = || unit_in(&[root.keyword]);
    if let Some(unit) = unit_in(&MAP).or_else(any) {
        words += &format!(", in {unit}");
        if let Some(height) = unit_in(&HEIGHT).filter(|h| *h != unit) {
            words += &format!(" with heights in {height}");
        }
    }
    Some(words)
}

/// The brackets of the text in order.
fn nodes(text: &str) -> Vec<Node<'_>> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let (mut word, mut in_quotes) = (0, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => in_quotes = !in_quotes,
            _ if in_quotes => {}
            b'[' | b'(' => {
                let node = Node {
                    keyword: text[word..at].trim(),
                    content: &text[at + 1..],
                    parent: open.last().copied(),
                };
                open.push(nodes.len());
                nodes.push(node);
                word = at + 1;
            }
            b']' | b')' => {
                open.pop();
                word = at + 1;
            }
            b',' => word = at + 1,
            _ => {}
        }
    }
    nodes
}

/// The text between the first quotes.
fn quoted(content: &str) -> Option<&str> {
    content.split('"').nth(1)
}

/// The number that the system gets from EPSG.
fn authority<'a>(nodes: &[Node<'a>], of: usize) -> Option<&'a str> {
    let own = |n: &&Node| n.parent == Some(of) && matches!(n.keyword, "AUTHORITY" | "ID");
    let (name, rest) = nodes.iter().find(own)?.content.split_once(',')?;
    let rest = rest.trim_start_matches(['"', ' ']);
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    (name.trim().trim_matches('"') == "EPSG" && end > 0).then(|| &rest[..end])
}

#[cfg(test)]
#[path = "wkt_tests.rs"]
mod tests;
