//! Bounds on the description (XML) of a file, checked before the reader of XML sees it.
//!
//! That reader compares each attribute of an element with all others, and copies the namespaces in
//! scope for each element that declares one: time with the square and the cube of their number.

use memchr::memmem::find;
use memchr::{memchr, memchr3};

/// Most elements within each other, attributes of an element, and namespaces in scope.
///
/// E57 nests eight elements and has seven attributes; files declare one namespace or two.
const MOST: usize = 64;

/// What is wrong with the XML, if it is more than descriptions hold. All other faults are for the
/// reader of XML to find.
pub(super) fn check(xml: &[u8]) -> Result<(), String> {
    // Namespaces declared by the elements that are open.
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(start) = memchr(b'<', &xml[at..]).map(|i| at + i) {
        let rest = &xml[start..];
        let past = |end: &[u8]| find(rest, end).map(|i| start + i + end.len());
        let next = if rest.starts_with(b"<!--") {
            past(b"-->")
        } else if rest.starts_with(b"<![CDATA[") {
            past(b"]]>")
        } else if rest.starts_with(b"<?") {
            past(b"?>")
        } else if rest.starts_with(b"</") {
            open.pop();
            past(b">")
        } else {
            let Some(tag) = Tag::read(rest) else { return Ok(()) };
            let in_scope = open.iter().sum::<usize>() + tag.namespaces;
            let counts = [
                (open.len() + 1, "elements within each other"),
                (tag.attributes, "attributes of one element"),
                (in_scope, "namespaces in scope"),
            ];
            if let Some((_, what)) = counts.iter().find(|(n, _)| *n > MOST) {
                return Err(format!(
                    "the description (XML) has more than {MOST} {what} at its byte {start}; it is \
                     damaged or made to exhaust time"
                ));
            }
            if !tag.empty {
                open.push(tag.namespaces);
            }
            Some(start + tag.length)
        };
        let Some(next) = next else { return Ok(()) };
        at = next;
    }
    Ok(())
}

/// What a start tag holds.
struct Tag {
    length: usize,
    attributes: usize,
    namespaces: usize,
    /// The element ends with it.
    empty: bool,
}

impl Tag {
    /// Reads up to the `>` that is in no value; `None` if there is none.
    fn read(xml: &[u8]) -> Option<Tag> {
        let (mut attributes, mut namespaces, mut at) = (0, 0, 1);
        loop {
            let stop = at + memchr3(b'"', b'\'', b'>', &xml[at..])?;
            if xml[stop] == b'>' {
                let empty = xml[stop - 1] == b'/';
                return Some(Tag { length: stop + 1, attributes, namespaces, empty });
            }
            attributes += 1;
            namespaces += usize::from(find(&xml[at..stop], b"xmlns").is_some());
            at = stop + 1 + memchr(xml[stop], &xml[stop + 1..])? + 1;
        }
    }
}
