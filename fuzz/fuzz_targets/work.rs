#![no_main]
pellucid_fuzz::target!(=> work);
