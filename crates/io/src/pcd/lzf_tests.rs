use rand::RngExt;

use super::lzf::{compress, decompress};

#[test]
fn what_is_packed_comes_back() {
    let mut r: rand_xoshiro::Xoshiro256PlusPlus = rand::SeedableRng::seed_from_u64(3);
    for round in 0..300 {
        let n = r.random_range(0..20_000usize);
        let kinds = 1 + (round % 40) as u8;
        let bytes: Vec<u8> = (0..n).map(|_| r.random::<u8>() % kinds).collect();
        let packed = compress(&bytes);
        assert!(packed.len() <= n + n / 32 + 1);
        assert_eq!(decompress(&packed, n), Ok(bytes));
    }
    let zeros = vec![0; 100_000];
    let packed = compress(&zeros);
    assert!(packed.len() < 1200, "{}", packed.len());
    assert_eq!(decompress(&packed, zeros.len()), Ok(zeros));
}

#[test]
fn the_format_is_read_as_others_write_it() {
    // A run "abc", a copy of 3 + 2 bytes from 3 back, a long copy of 9 + 3 from 1 back.
    let packed = [2, b'a', b'b', b'c', 3 << 5, 2, 7 << 5, 3, 0];
    assert_eq!(decompress(&packed, 20), Ok(b"abcabcabbbbbbbbbbbbb"[..20].to_vec()));
}

#[test]
fn what_is_wrong_is_refused() {
    assert!(decompress(&[1 << 5, 0], 3).is_err(), "before the start");
    assert!(decompress(&[5, 1, 2], 6).is_err(), "a short run");
    assert!(decompress(&[0, 1, 1 << 5], 4).is_err(), "a short copy");
    assert!(decompress(&[0, 1, 7 << 5, 255], 4).is_err(), "a short long copy");
    assert!(decompress(&[1, 1, 1], 1).is_err(), "too much");
    assert!(decompress(&[1, 1, 1], 3).is_err(), "too little");
    assert!(decompress(&[0, 1], usize::MAX).is_err(), "an absurd size");
}
