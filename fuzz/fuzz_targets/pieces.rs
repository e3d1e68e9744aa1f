#![no_main]
pellucid_fuzz::target!(=> pieces);
