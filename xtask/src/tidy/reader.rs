//! Walks one parsed file and notes in its [`Source`] what the checks ask for.

use std::path::Path;

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{
    Attribute, Block, Ident, ImplItem, Item, ItemFn, Macro, Signature, TraitItem, Type, Visibility,
};

use super::source::{Function, Source, Test};

/// The last word of `#[test]`, `#[tokio::test]`, `#[wasm_bindgen_test]`.
const TEST_ATTRIBUTES: [&str; 2] = ["test", "wasm_bindgen_test"];
/// A file below such a folder holds the cases of a suite: each public async function is one, which a
/// macro makes a test of.
const CASES: &str = "/contract/";

/// Fills in the source, whose path is known, from its syntax.
pub(crate) fn read(source: Source, file: &syn::File) -> Source {
    let module = module_of(&source.path);
    let mut reader = Reader { source, module, depth: 0 };
    reader.visit_file(file);
    reader.source
}

/// `rules` for both `src/rules.rs` and `src/rules/mod.rs`.
fn module_of(path: &str) -> String {
    let path = Path::new(path);
    let is_folder = path.file_name().is_some_and(|name| name == "mod.rs");
    let path = path.parent().filter(|_| is_folder).unwrap_or(path);
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

struct Reader {
    source: Source,
    module: String,
    /// How many blocks are open: an item inside a function has no path and is not indexed.
    depth: usize,
}

impl Reader {
    fn add_item(&mut self, name: &Ident) {
        if self.depth == 0 {
            self.source.items.insert(name.to_string());
            self.source.items.insert(format!("{}::{name}", self.module));
        }
    }

    fn add_owned<'a>(&mut self, owner: &Ident, names: impl Iterator<Item = &'a Ident>) {
        let paths = names.map(|name| format!("{owner}::{name}"));
        self.source.items.extend(paths);
    }

    fn is_case(&self, item: &ItemFn) -> bool {
        let is_public = matches!(item.vis, Visibility::Public(_));
        self.source.path.contains(CASES) && is_public && item.sig.asyncness.is_some()
    }

    fn add_function(&mut self, signature: &Signature, body: &Block) {
        let line = signature.fn_token.span.start().line;
        let lines = body.brace_token.span.close().end().line + 1 - line;
        self.source.functions.push(Function { name: signature.ident.to_string(), line, lines });
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Const(item) => self.add_item(&item.ident),
            Item::Static(item) => self.add_item(&item.ident),
            Item::Struct(item) => self.add_item(&item.ident),
            Item::Type(item) => self.add_item(&item.ident),
            Item::Enum(item) => {
                self.add_item(&item.ident);
                let variants = item.variants.iter();
                self.add_owned(&item.ident, variants.map(|variant| &variant.ident));
            }
            Item::Trait(item) => {
                self.add_item(&item.ident);
                self.add_owned(&item.ident, item.items.iter().filter_map(trait_item_name));
            }
            Item::Impl(item) => {
                if let Some(owner) = type_name(&item.self_ty) {
                    self.add_owned(owner, item.items.iter().filter_map(impl_item_name));
                }
            }
            Item::Fn(item) => {
                self.add_item(&item.sig.ident);
                if item.attrs.iter().any(is_test_attribute) || self.is_case(item) {
                    let name = &item.sig.ident;
                    self.source.tests.push(test_at(name, name.span()));
                }
            }
            Item::Macro(item) => {
                if let Some(name) = &item.ident {
                    self.add_item(name);
                    if !tests_in(item.mac.tokens.clone()).is_empty() {
                        self.source.test_macros.insert(name.to_string());
                    }
                    // A definition is not a call, and the tests in it are its callers'.
                    return;
                }
            }
            Item::Mod(item) => {
                let outer = std::mem::replace(&mut self.module, item.ident.to_string());
                visit::visit_item_mod(self, item);
                self.module = outer;
                return;
            }
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.add_function(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.add_function(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(body) = &item.default {
            self.add_function(&item.sig, body);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_block(&mut self, block: &'ast Block) {
        self.depth += 1;
        visit::visit_block(self, block);
        self.depth -= 1;
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        let last = call.path.segments.last();
        let name = last.map(|last| last.ident.to_string());
        self.source.calls.extend(name);
        self.source.tests.extend(tests_in(call.tokens.clone()));
    }
}

fn trait_item_name(item: &TraitItem) -> Option<&Ident> {
    match item {
        TraitItem::Const(item) => Some(&item.ident),
        TraitItem::Fn(item) => Some(&item.sig.ident),
        TraitItem::Type(item) => Some(&item.ident),
        _ => None,
    }
}

fn impl_item_name(item: &ImplItem) -> Option<&Ident> {
    match item {
        ImplItem::Const(item) => Some(&item.ident),
        ImplItem::Fn(item) => Some(&item.sig.ident),
        ImplItem::Type(item) => Some(&item.ident),
        _ => None,
    }
}

fn type_name(of: &Type) -> Option<&Ident> {
    match of {
        Type::Path(path) => path.path.segments.last().map(|last| &last.ident),
        _ => None,
    }
}

fn is_test_attribute(attribute: &Attribute) -> bool {
    let last = attribute.path().segments.last();
    last.is_some_and(|last| TEST_ATTRIBUTES.iter().any(|name| last.ident == name))
}

fn test_at(name: &impl ToString, span: Span) -> Test {
    Test { name: name.to_string(), line: span.start().line }
}

/// Each `#[test] fn name` among a macro's tokens, at any depth; other attributes may stand between.
fn tests_in(tokens: TokenStream) -> Vec<Test> {
    let mut tests = Vec::new();
    let mut is_test = false;
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) if is_test_group(&group) => is_test = true,
            TokenTree::Group(group) => tests.extend(tests_in(group.stream())),
            TokenTree::Ident(word) if is_test && word == "fn" => {
                is_test = false;
                tests.extend(tokens.next().map(|name| test_at(&name, name.span())));
            }
            _ => {}
        }
    }
    tests
}

/// The `[test]` or `[tokio::test]` of an attribute; not `[cfg(test)]`.
fn is_test_group(group: &Group) -> bool {
    let last = group.stream().into_iter().last();
    group.delimiter() == Delimiter::Bracket
        && last.is_some_and(|last| TEST_ATTRIBUTES.contains(&last.to_string().as_str()))
}
