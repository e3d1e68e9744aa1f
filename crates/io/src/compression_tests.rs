use super::*;

#[test]
fn content_is_limited_by_the_size_of_the_file_as_it_was() {
    let mut packed = Vec::new();
    let fill = |sink: &mut dyn Write| Ok(sink.write_all(&[7; 10_000])?);
    through(Some(Compression::Gzip), &mut packed, fill).unwrap();
    let size = packed.len();
    let limits = Limits { memory: 8_000, inflation: 100 };
    let (plain, inside) = unpacked(Cow::Owned(packed), &limits, "a").unwrap();
    // A bomb inside would else get a hundred bytes for each of the ten thousand.
    assert_eq!(inside.most(plain.len()), limits.most(size));
}

#[test]
fn windows_are_read_as_the_format_defines_them() {
    let frame = |descriptor: u8, byte: u8| [0x28, 0xb5, 0x2f, 0xfd, descriptor, byte];
    assert_eq!(window(&frame(0, 0)), Some(1 << 10));
    assert_eq!(window(&frame(0, 13 << 3 | 4)), Some((8 << 20) + (4 << 20)));
    assert_eq!(window(&frame(1 << 5, 0)), None);
}
