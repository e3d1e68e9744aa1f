//! Denoising methods behind one trait.
