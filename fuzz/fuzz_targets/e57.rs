#![no_main]
pellucid_fuzz::target!(E57);
