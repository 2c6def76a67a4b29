//! One element of an MJCF file, checked.

use std::fmt::Write as _;

use roxmltree::{Document, Node, ParsingOptions};

use super::allowed::{self, Kind};
use crate::outside::OutsideError;
use crate::outside::limits::{MOST_DEPTH, MOST_ELEMENTS};

/// An element of a model: every tag, attribute and value is on the allow-list.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    tag: &'static str,
    attributes: Vec<(&'static str, String)>,
    /// What it holds.
    pub children: Vec<Element>,
}

impl Element {
    /// An element without attributes.
    ///
    /// # Panics
    /// If models have no such element.
    pub fn new(tag: &str) -> Self {
        let (tag, _) = allowed::element(tag).unwrap_or_else(|| panic!("no element <{tag}>"));
        Self { tag, attributes: Vec::new(), children: Vec::new() }
    }

    /// Return its tag.
    pub fn tag(&self) -> &'static str {
        self.tag
    }

    /// Return an attribute's value.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(own, _)| *own == name).map(|(_, value)| value.as_str())
    }

    /// Return its name.
    pub fn name(&self) -> Option<&str> {
        self.get("name")
    }

    /// Return an attribute's numbers.
    pub fn numbers(&self, name: &str) -> Option<Vec<f64>> {
        self.get(name)?.split_whitespace().map(|w| w.parse().ok()).collect()
    }

    /// Set an attribute.
    ///
    /// # Panics
    /// If the element has no such attribute or it cannot have this value. Values from files were
    /// checked when they were read.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        let value = value.into();
        let Some((name, kind)) = allowed::attribute(self.tag, name) else {
            panic!("<{}> has no attribute {name}", self.tag);
        };
        if let Err(wrong) = kind.check(&value) {
            panic!("<{} {name}=…>: {wrong}", self.tag);
        }
        match self.attributes.iter_mut().find(|(own, _)| *own == name) {
            Some((_, old)) => *old = value,
            None => self.attributes.push((name, value)),
        }
    }

    /// Set an attribute to numbers.
    pub fn set_numbers(&mut self, name: &str, numbers: &[f64]) {
        let words: Vec<String> = numbers.iter().map(f64::to_string).collect();
        self.set(name, words.join(" "));
    }

    /// Return it with an attribute set.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.set(name, value);
        self
    }

    /// Remove an attribute.
    pub fn remove(&mut self, name: &str) {
        self.attributes.retain(|(own, _)| *own != name);
    }

    /// Return the first child with this tag.
    pub fn child(&self, tag: &str) -> Option<&Self> {
        self.children.iter().find(|c| c.tag == tag)
    }

    /// Return the first child with this tag, made if there is none.
    pub fn section(&mut self, tag: &str) -> &mut Self {
        let at = self.children.iter().position(|c| c.tag == tag).unwrap_or_else(|| {
            self.children.push(Self::new(tag));
            self.children.len() - 1
        });
        &mut self.children[at]
    }

    /// Return the element with this tag and name below it, depth first.
    pub fn find(&self, tag: &str, name: &str) -> Option<&Self> {
        self.children.iter().find_map(|c| {
            if c.tag == tag && c.name() == Some(name) { Some(c) } else { c.find(tag, name) }
        })
    }

    /// The same, to change it.
    pub fn find_mut(&mut self, tag: &str, name: &str) -> Option<&mut Self> {
        self.children.iter_mut().find_map(|c| {
            if c.tag == tag && c.name() == Some(name) { Some(c) } else { c.find_mut(tag, name) }
        })
    }

    /// Visit it and everything below it, depth first.
    pub fn visit(&mut self, change: &mut impl FnMut(&mut Self)) {
        change(self);
        for child in &mut self.children {
            child.visit(change);
        }
    }

    /// Return it and everything below it, depth first.
    pub fn all(&self) -> Vec<&Self> {
        let mut out = vec![self];
        out.extend(self.children.iter().flat_map(Self::all));
        out
    }

    /// Put a prefix before every name, its own and those it refers to, that does not begin so.
    pub fn prefix(&mut self, prefix: &str) {
        self.visit(&mut |e| {
            for (name, value) in &mut e.attributes {
                let named = allowed::attribute(e.tag, name).is_some_and(|(_, k)| k == Kind::Name);
                if named && !value.starts_with(prefix) {
                    value.insert_str(0, prefix);
                }
            }
        });
    }

    /// Write the attributes of default classes into the elements that name them, where they have
    /// none of their own, and drop the classes.
    pub fn inline_defaults(&mut self) {
        let defaults = self.section("default").children.clone();
        self.children.retain(|c| c.tag != "default");
        self.visit(&mut |e| {
            let Some(class) = e.get("class").map(str::to_owned) else { return };
            e.remove("class");
            let found = defaults.iter().find(|d| d.get("class") == Some(&class));
            let Some(given) = found.and_then(|d| d.child(e.tag)) else { return };
            for (name, value) in &given.attributes {
                if e.get(name).is_none() {
                    e.attributes.push((name, value.clone()));
                }
            }
        });
    }

    /// Read a model from the text of a file; `resolve` turns a named file into its path.
    pub fn parse(
        file: &str,
        text: &str,
        resolve: &dyn Fn(&str) -> String,
    ) -> Result<Self, OutsideError> {
        let options =
            ParsingOptions { nodes_limit: 8 * MOST_ELEMENTS as u32, ..ParsingOptions::default() };
        let doc = Document::parse_with_options(text, options).map_err(|e| {
            let at = e.pos();
            OutsideError::at(file, at.row as usize, at.col as usize, format!("is not XML: {e}"))
        })?;
        let mut reader = Reader { file, doc: &doc, resolve, elements: 0 };
        if doc.root_element().tag_name().name() != "mujoco" {
            let say = "is not MJCF: the outermost element must be <mujoco>";
            return Err(reader.error(doc.root_element(), say));
        }
        reader.element(doc.root_element(), 0)
    }

    /// Write it as XML; `file` gives each file the name it has beside the model.
    pub(super) fn write(&self, out: &mut String, file: &dyn Fn(&str, &str) -> String) {
        let _ = write!(out, "<{}", self.tag);
        for (name, value) in &self.attributes {
            let value = match allowed::attribute(self.tag, name) {
                Some((_, Kind::File)) => file(self.tag, value),
                Some((_, Kind::Ignored)) | None => continue,
                Some(_) => value.clone(),
            };
            let _ = write!(out, " {name}=\"{value}\"");
        }
        if self.children.is_empty() {
            out.push_str("/>\n");
            return;
        }
        out.push_str(">\n");
        for child in &self.children {
            child.write(out, file);
        }
        let _ = writeln!(out, "</{}>", self.tag);
    }
}

struct Reader<'a> {
    file: &'a str,
    doc: &'a Document<'a>,
    resolve: &'a dyn Fn(&str) -> String,
    elements: usize,
}

impl Reader<'_> {
    fn error(&self, node: Node<'_, '_>, say: impl Into<String>) -> OutsideError {
        let at = self.doc.text_pos_at(node.range().start);
        OutsideError::at(self.file, at.row as usize, at.col as usize, say)
    }

    fn element(&mut self, node: Node<'_, '_>, depth: usize) -> Result<Element, OutsideError> {
        self.elements += 1;
        if self.elements > MOST_ELEMENTS {
            return Err(self.error(node, format!("more than {MOST_ELEMENTS} elements")));
        }
        if depth > MOST_DEPTH {
            return Err(self.error(node, format!("elements nest deeper than {MOST_DEPTH}")));
        }
        let tag = node.tag_name().name();
        let Some((tag, _)) = allowed::element(tag) else {
            return Err(self.error(node, format!("<{tag}> is not read; remove it")));
        };
        let mut out = Element { tag, attributes: Vec::new(), children: Vec::new() };
        for a in node.attributes() {
            let Some((name, kind)) = allowed::attribute(tag, a.name()) else {
                let say = format!("<{tag} {}=…> is not read; remove the attribute", a.name());
                return Err(self.error(node, say));
            };
            if let Err(wrong) = kind.check(a.value()) {
                return Err(self.error(node, format!("<{tag} {name}=…>: {wrong}")));
            }
            let value = match kind {
                Kind::File => (self.resolve)(a.value()),
                _ => a.value().to_owned(),
            };
            out.attributes.push((name, value));
        }
        for child in node.children().filter(Node::is_element) {
            out.children.push(self.element(child, depth + 1)?);
        }
        Ok(out)
    }
}
