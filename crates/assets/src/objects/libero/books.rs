//! Books in LIBERO's sizes.

use std::borrow::Cow;

use super::super::book::BookShape as Book;
use super::super::common::open_free;
use super::CategoryModel;
use crate::{AssetInfo, Mjcf};

pub(super) const BLACK_BOOK: Book = Book {
    id: Cow::Borrowed("libero_black_book"),
    size: [0.0302, 0.1133, 0.1382],
    middle: [-0.00045, -0.01205],
    mass: 0.1569,
    cover: [0.13, 0.13, 0.15],
    ink: [0.80, 0.66, 0.36],
    title: "NOVEL",
};

pub(super) const YELLOW_BOOK: Book = Book {
    id: Cow::Borrowed("libero_yellow_book"),
    size: [0.027, 0.1012, 0.1242],
    middle: [0.00275, -0.00075],
    mass: 0.1088,
    cover: [0.93, 0.76, 0.24],
    ink: [0.25, 0.22, 0.40],
    title: "GUIDE",
};

impl CategoryModel for Book {
    fn info(&self) -> AssetInfo {
        Book::info(self)
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        open_free(name, out);
        Book::build(self, name, out);
        out.close();
    }
}
