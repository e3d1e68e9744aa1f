//! Which figures there are. The paper's scans Face and Iron Vise are not public; two others take
//! their place.

/// Methods beside each other, as in the paper, and the default.
const ALL: &[&str] = &["apss", "awlop", "mrpca", "glr", "fgl", "auto"];
const FEW: &[&str] = &["mrpca", "glr", "fgl", "auto"];

/// Where the noisy cloud comes from.
pub enum Noisy {
    /// This file of the data folder.
    File(&'static str),
    /// Gaussian noise on the truth, as a share of the diagonal of its box.
    Made(f64),
}

/// One row of pictures.
pub struct Strip {
    /// Ends the file's name.
    pub suffix: &'static str,
    pub about: &'static str,
    /// As `pellucid render --view` takes it.
    pub view: &'static str,
    /// The place in the middle, as shares of the first cloud's box; without effect at zoom one.
    pub focus: [f64; 3],
    pub zoom: f64,
}

/// Clouds that are compared.
pub struct Figure {
    pub name: &'static str,
    pub title: &'static str,
    pub about: &'static str,
    pub truth: Option<&'static str>,
    pub noisy: Noisy,
    pub methods: &'static [&'static str],
    /// Iterations of `fgl` that are shown.
    pub iterations: &'static [usize],
    /// The axis that points up, as `pellucid render --up` takes it.
    pub up: &'static str,
    pub strips: &'static [Strip],
}

impl Figure {
    /// The files that it needs of the data folder.
    pub fn sources(&self) -> Vec<&'static str> {
        let noisy = match self.noisy {
            Noisy::File(file) => Some(file),
            Noisy::Made(_) => None,
        };
        self.truth.into_iter().chain(noisy).collect()
    }
}

const WHOLE: [f64; 3] = [0.5; 3];
const FRONT: &str = "front";
const CORNER: &str = "iso";
const Y_UP: &str = "y";
const Y_DOWN: &str = "-y";
const Z_UP: &str = "z";

/// All figures.
pub const FIGURES: &[Figure] = &[
    Figure {
        name: "quasimoto",
        title: "Quasimoto at 0.04",
        about: "A scanned figure with thin parts.",
        truth: Some("srb/lordquas_GT.ply"),
        noisy: Noisy::File("srb/noisy/lordquas_0.04.ply"),
        methods: ALL,
        iterations: &[],
        up: Y_UP,
        strips: &[
            Strip { suffix: "", about: "Quasimoto", view: FRONT, focus: WHOLE, zoom: 1.0 },
            Strip {
                suffix: "-thin",
                about: "A thin part: the cigar, and the nose beside it",
                view: FRONT,
                focus: [0.42, 0.78, 0.9],
                zoom: 4.5,
            },
        ],
    },
    Figure {
        name: "fandisk",
        title: "Fandisk with noise of 0.005 of its diagonal",
        about: "A machine part with sharp edges.",
        truth: Some("punet/clean/fandisk.xyz"),
        noisy: Noisy::Made(0.005),
        methods: ALL,
        iterations: &[],
        up: Z_UP,
        strips: &[
            Strip { suffix: "", about: "Fandisk", view: CORNER, focus: WHOLE, zoom: 1.0 },
            Strip {
                suffix: "-edge",
                about: "Sharp edges",
                view: CORNER,
                focus: [0.45, 0.25, 0.75],
                zoom: 2.2,
            },
        ],
    },
    Figure {
        name: "face",
        title: "A scanned face",
        about: "No truth is known.",
        truth: None,
        noisy: Noisy::File("real/pcd/biwi_face_model.pcd"),
        methods: FEW,
        iterations: &[],
        up: Y_DOWN,
        strips: &[
            Strip { suffix: "", about: "A face", view: FRONT, focus: WHOLE, zoom: 1.0 },
            Strip {
                suffix: "-eyes",
                about: "Eyes and nose",
                view: FRONT,
                focus: [0.5, 0.42, 0.0],
                zoom: 2.5,
            },
        ],
    },
    Figure {
        name: "hand",
        title: "A scanned hand",
        about: "No truth is known.",
        truth: None,
        noisy: Noisy::File("real/xyz/hand.xyz"),
        methods: FEW,
        iterations: &[],
        up: Z_UP,
        strips: &[Strip { suffix: "", about: "A hand", view: FRONT, focus: WHOLE, zoom: 1.0 }],
    },
    Figure {
        name: "iterations",
        title: "Quasimoto at 0.04 after iterations of fgl",
        about: "The stop rule is switched off.",
        truth: Some("srb/lordquas_GT.ply"),
        noisy: Noisy::File("srb/noisy/lordquas_0.04.ply"),
        methods: &[],
        iterations: &[1, 3, 5, 7],
        up: Y_UP,
        strips: &[Strip { suffix: "", about: "Iterations", view: FRONT, focus: WHOLE, zoom: 1.0 }],
    },
];
