use super::xml::check;

#[test]
fn what_descriptions_hold_is_let_through() {
    let wide = "<a/><b c='>' d=\"</b>\"></b>".repeat(1000);
    let values = (0..60).map(|i| format!(" a{i}='1'")).collect::<String>();
    for xml in [
        "<?xml version='1.0'?><!-- <a><a> --><e xmlns='a' xmlns:b='c'><![CDATA[<<<a]]></e>".into(),
        format!("<e>{wide}</e>"),
        format!("<e{values}/>"),
        "<a>".repeat(60),
        // Side by side, not within each other.
        format!("<e>{}</e>", "<a xmlns:n='u'></a><a xmlns:n='u'/>".repeat(1000)),
    ] {
        assert_eq!(check(xml.as_bytes()), Ok(()), "{xml}");
    }
}

#[test]
fn what_would_take_long_is_refused() {
    let each = |n: usize, f: &dyn Fn(usize) -> String| (0..n).map(f).collect::<String>();
    for (xml, what) in [
        ("<a>".repeat(65), "elements within"),
        (format!("<e{}/>", each(65, &|i| format!(" a{i}=''"))), "attributes of one"),
        (each(40, &|i| format!("<a xmlns:n{i}='u' xmlns:m{i}='u'>")), "namespaces in scope"),
        (each(40, &|i| format!("<a p{i}:xmlns='u' xmlns='{i}'>")), "namespaces in scope"),
    ] {
        let fault = check(xml.as_bytes()).unwrap_err();
        assert!(fault.contains(what), "{fault}");
    }
}

#[test]
fn what_has_no_end_is_left_to_the_reader() {
    for xml in
        ["<", "<a", "<a b='", "<!-- ", "<![CDATA[", "<?a", "</a", "<!DOCTYPE a [", "</a></a>"]
    {
        assert_eq!(check(xml.as_bytes()), Ok(()), "{xml}");
    }
}
