use super::*;

#[test]
fn labels_are_as_short_as_they_can_be() {
    assert_eq!(labels(&["/home/me/a.ply", "/home/me/b.ply"]), ["a.ply", "b.ply"]);
    assert_eq!(
        labels(&["/home/me/x/a.ply", "/home/me/y/a.ply", "c.ply"]),
        ["x/a.ply", "y/a.ply", "c.ply"]
    );
    assert_eq!(labels(&["one/x/a.ply", "two/x/a.ply"]), ["one/x/a.ply", "two/x/a.ply"]);
    assert_eq!(labels(&["a.ply", "a.ply"]), ["a.ply", "a.ply"]);
}

#[test]
fn commands_lose_their_folders() {
    let given =
        ["/usr/bin/pellucid", "denoise", "/home/me/a.ply", "out.ply", "--report=/tmp/r.html"];
    let plain = without_folders(given.iter().map(|w| w.to_string()).collect());
    assert_eq!(plain, ["pellucid", "denoise", "a.ply", "out.ply", "--report=r.html"]);
    assert_eq!(without_folders(vec!["--set".into(), "k=1/2".into()])[0], "--set");
}
