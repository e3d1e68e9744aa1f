use super::*;

/// A ball of radius one seen from the front.
fn ball() -> (Vec<Point>, Camera) {
    let points: Vec<Point> = (0..4000)
        .map(|i| {
            let z = 1.0 - (2.0 * f64::from(i) + 1.0) / 4000.0;
            let a = 2.399_963 * f64::from(i);
            let r = (1.0 - z * z).sqrt();
            [r * a.cos(), r * a.sin(), z]
        })
        .collect();
    let camera = Camera::fit(&points, (20.0, 30.0), 1.0, 0.1);
    (points, camera)
}

fn draw(points: &[Point], camera: &Camera, colors: Option<&[Rgb]>) -> Image {
    let radii = vec![0.07; points.len()];
    let splats = Splats { points, normals: Some(points), colors, radii: &radii };
    render(&splats, camera, (120, 120))
}

#[test]
fn a_ball_is_a_filled_circle_of_the_fitted_size() {
    let (points, camera) = ball();
    let image = draw(&points, &camera, None);
    let empty = draw(&[], &camera, None);
    for y in 0..120 {
        for x in 0..120 {
            let r = (x as f64 - 59.5).hypot(y as f64 - 59.5) / 60.0;
            let drawn = image.get(x, y) != empty.get(x, y);
            // Margin 0.1; the disks reach a little over the rim.
            if r < 0.86 {
                assert!(drawn, "hole at {x} {y}");
            } else if r > 1.0 {
                assert!(!drawn, "paint at {x} {y}");
            }
        }
    }
}

#[test]
fn light_comes_from_the_upper_left() {
    let (points, camera) = ball();
    let image = draw(&points, &camera, None);
    let bright = |x, y| image.get(x, y).map_or(0, |p| p.iter().map(|&c| u32::from(c)).sum());
    assert!(bright(40, 40) > bright(80, 80) + 60);
}

#[test]
fn what_is_nearer_hides_what_is_behind() {
    let (points, camera) = ball();
    // A second, red ball behind the first as the camera sees it.
    let back: Vec<Point> = points.iter().map(|p| pellucid::cloud::vec3::scale(*p, 0.9)).collect();
    let both: Vec<Point> = back.iter().chain(&points).copied().collect();
    let colors: Vec<Rgb> =
        (0..8000).map(|i| if i < 4000 { [255, 0, 0] } else { [128, 128, 128] }).collect();
    let image = draw(&both, &camera, Some(&colors));
    let middle = image.get(60, 60).unwrap();
    assert!(middle[0].abs_diff(middle[1]) < 16, "{middle:?}");
}

#[test]
fn points_that_are_not_finite_are_left_out() {
    let (mut points, camera) = ball();
    let before = draw(&points, &camera, None);
    points.push([f64::NAN, 0.0, 0.0]);
    points.push([f64::INFINITY; 3]);
    assert_eq!(draw(&points, &camera, None), before);
    assert_eq!(draw(&[[f64::NAN; 3]], &camera, None), draw(&[], &camera, None));
}

#[test]
fn a_picture_survives_its_file() {
    let mut image = Image::new(5, 3, [1, 2, 3]);
    image.set(4, 2, [250, 0, 9]);
    let bytes = image.to_png().unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    assert_eq!(pixels.len(), 45);
    assert_eq!(pixels[42..], [250, 0, 9]);
    assert_eq!(pixels[..3], [1, 2, 3]);
}

#[test]
fn text_is_centerd_and_stays_inside() {
    let mut image = Image::new(200, 40, [255; 3]);
    draw_text(&mut image, "noisy 0.5", (100.0, 28.0), 16.0, Align::Center, [0; 3]);
    let dark: Vec<usize> = (0..200)
        .filter(|&x| (0..40).any(|y| image.get(x, y).is_some_and(|p| p[0] < 128)))
        .collect();
    let (first, last) = (dark[0], dark[dark.len() - 1]);
    assert!((first + last).abs_diff(199) <= 4, "{first} {last}");
    // Far outside nothing happens.
    let before = image.clone();
    draw_text(&mut image, "x", (-500.0, -500.0), 16.0, Align::Left, [0; 3]);
    assert_eq!(image, before);
}

#[test]
fn capitals_differ_from_small_letters() {
    let drawn = |text: &str| {
        let mut image = Image::new(60, 40, [255; 3]);
        draw_text(&mut image, text, (4.0, 30.0), 20.0, Align::Left, [0; 3]);
        image
    };
    for letter in 'a'..='z' {
        let (small, capital) = (letter.to_string(), letter.to_ascii_uppercase().to_string());
        assert_ne!(drawn(&small), drawn(&capital), "{letter}");
        assert_ne!(drawn(&capital), drawn("?"), "{letter}");
    }
}
