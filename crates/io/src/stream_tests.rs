use super::*;

#[test]
fn a_stream_without_an_end_is_left() {
    assert_eq!(read_up_to(3, &mut &b"abc"[..], "stdin").unwrap(), b"abc");
    let fault = read_up_to(1000, &mut std::io::repeat(0), "stdin").unwrap_err().to_string();
    assert!(fault.starts_with("stdin: ") && fault.contains("more than 1000 bytes"), "{fault}");
}
