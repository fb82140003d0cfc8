//! A source file as the checks see it: what it imports, defines and names, without its comments and
//! without the items that are compiled for unit tests only.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::{Attribute, Fields, Item, UseTree, Visibility};

/// A name with its qualification, as written: `fs::write`, `println`, `crate::pool::Pool`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    /// Its steps.
    pub path: Vec<String>,
    /// Whether a macro of this name is called.
    pub is_macro: bool,
    /// Where.
    pub line: usize,
}

/// One name that a `use` brings in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Import {
    /// From where.
    pub path: Vec<String>,
    /// Under which name; none for `*`.
    pub name: Option<String>,
    /// Whether others may import it from here.
    pub is_exported: bool,
}

/// A structure with named fields.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Struct {
    /// Its name.
    pub name: String,
    /// How many it has.
    pub fields: usize,
    /// Where.
    pub line: usize,
}

/// What is in a file.
#[derive(Clone, Default, Debug)]
pub struct Scan {
    /// Names in code.
    pub named: Vec<Named>,
    /// Strings in code, with their lines.
    pub strings: Vec<(String, usize)>,
    /// Strings that a field `name` gets: the entries of families have one.
    pub entries: Vec<String>,
    /// What it imports.
    pub imports: Vec<Import>,
    /// Names that it defines.
    pub defines: BTreeSet<String>,
    /// Its structures.
    pub structs: Vec<Struct>,
    /// Lines with the word `unsafe`.
    pub unsafe_lines: Vec<usize>,
    /// Whether the file begins with `#![forbid(unsafe_code)]`.
    pub forbids_unsafe: bool,
    /// Modules in files of their own that are compiled for unit tests only.
    pub test_modules: Vec<String>,
    /// Words of strings in attributes: `#[serde(with = "serde_bytes")]` names a crate.
    pub in_attributes: BTreeSet<String>,
    /// Every identifier, those of unit tests too.
    pub identifiers: BTreeSet<String>,
}

/// Scans a file.
///
/// # Errors
/// When the text is no Rust.
pub fn scan(text: &str) -> Result<Scan, syn::Error> {
    let file = syn::parse_file(text)?;
    let mut scan = Scan {
        forbids_unsafe: file.attrs.iter().any(|attribute| {
            let words = meta(attribute);
            words == "forbid(unsafe_code)"
        }),
        ..Scan::default()
    };
    for item in &file.items {
        scan.item(item);
    }
    identifiers(file.into_token_stream(), &mut scan.identifiers);
    Ok(scan)
}

/// An attribute without its frame and without blanks.
fn meta(attribute: &Attribute) -> String {
    let text = attribute.meta.to_token_stream().to_string();
    text.split_whitespace().collect()
}

fn identifiers(tokens: TokenStream, found: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) => {
                found.insert(name.to_string());
            }
            TokenTree::Group(group) => identifiers(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

impl Scan {
    fn item(&mut self, item: &Item) {
        if attributes(item).iter().any(|a| meta(a) == "cfg(test)") {
            if let Item::Mod(module) = item
                && module.content.is_none()
            {
                self.test_modules.push(module.ident.to_string());
            }
            return;
        }
        match item {
            Item::Use(import) => {
                let is_exported = !matches!(import.vis, Visibility::Inherited);
                self.imports(&mut Vec::new(), &import.tree, is_exported);
                return;
            }
            // What is inside is taken for part of the file's own module.
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    self.defines.insert(module.ident.to_string());
                    items.iter().for_each(|item| self.item(item));
                }
                return;
            }
            Item::Struct(structure) => {
                if let Fields::Named(fields) = &structure.fields {
                    self.structs.push(Struct {
                        name: structure.ident.to_string(),
                        fields: fields.named.len(),
                        line: structure.ident.span().start().line,
                    });
                }
            }
            _ => {}
        }
        self.defines.extend(defined(item));
        self.tokens(item.to_token_stream());
    }

    fn imports(&mut self, prefix: &mut Vec<String>, tree: &UseTree, is_exported: bool) {
        let mut add = |last: Option<String>, name: Option<String>| {
            let mut path = prefix.clone();
            // `use a::b::{self}` is `use a::b`.
            path.extend(last.filter(|last| last != "self" || prefix.is_empty()));
            let name = match name.as_deref() {
                Some("self") => path.last().cloned(),
                _ => name,
            };
            self.imports.push(Import {
                path,
                name,
                is_exported,
            });
        };
        match tree {
            UseTree::Path(step) => {
                prefix.push(step.ident.to_string());
                self.imports(prefix, &step.tree, is_exported);
                prefix.pop();
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.imports(prefix, tree, is_exported);
                }
            }
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                add(Some(name.clone()), Some(name));
            }
            UseTree::Rename(name) => {
                add(Some(name.ident.to_string()), Some(name.rename.to_string()));
            }
            UseTree::Glob(_) => add(None, None),
        }
    }

    /// Names, strings and the word `unsafe` in code; `use` inside of functions counts as one of the
    /// file.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Ident(word) if word == "use" => {
                    let end = (at..tokens.len()).find(|&i| is_punct(tokens.get(i), ';'));
                    let end = end.unwrap_or(tokens.len() - 1);
                    let text = tokens[at..=end].iter().cloned().collect();
                    if let Ok(import) = syn::parse2::<syn::ItemUse>(text) {
                        self.imports(&mut Vec::new(), &import.tree, false);
                    }
                    at = end + 1;
                }
                TokenTree::Ident(word) => {
                    let line = word.span().start().line;
                    if word == "unsafe" {
                        self.unsafe_lines.push(line);
                    }
                    let begin = at;
                    let before = tokens[..begin].last();
                    let (path, end) = path(&tokens, at);
                    at = end;
                    let is_member = is_punct(before, '.') && !is_range(&tokens[..begin]);
                    if !is_member && !is_punct(before, '\'') {
                        self.named.push(Named {
                            path,
                            is_macro: is_punct(tokens.get(at), '!')
                                && matches!(tokens.get(at + 1), Some(TokenTree::Group(_))),
                            line,
                        });
                    }
                }
                TokenTree::Group(group) => {
                    let is_attribute = group.delimiter() == Delimiter::Bracket
                        && at > 0
                        && is_punct(tokens.get(at - 1), '#');
                    match is_attribute {
                        true => self.attribute(group.stream()),
                        false => self.tokens(group.stream()),
                    }
                    at += 1;
                }
                TokenTree::Literal(literal) => {
                    if let syn::Lit::Str(text) = syn::Lit::new(literal.clone()) {
                        if is_name(&tokens[..at]) {
                            self.entries.push(text.value());
                        }
                        self.strings.push((text.value(), text.span().start().line));
                    }
                    at += 1;
                }
                TokenTree::Punct(_) => at += 1,
            }
        }
    }

    /// Texts in attributes are documentation. Names are those of macros, which are expanded
    /// elsewhere; but a derivation is a use.
    fn attribute(&mut self, tokens: TokenStream) {
        let first = tokens.clone().into_iter().next();
        match first {
            Some(TokenTree::Ident(word)) if word == "doc" => {}
            Some(TokenTree::Ident(word)) if word == "unsafe" => {
                self.unsafe_lines.push(word.span().start().line);
            }
            _ => {
                let strings = self.strings.len();
                self.tokens(tokens);
                let found = self.strings.split_off(strings);
                let words = found.iter().flat_map(|(text, _)| text.split("::"));
                self.in_attributes.extend(words.map(str::to_string));
            }
        }
    }
}

/// The path that begins at an identifier, and where it ends.
fn path(tokens: &[TokenTree], mut at: usize) -> (Vec<String>, usize) {
    let mut path = Vec::new();
    while let Some(TokenTree::Ident(word)) = tokens.get(at) {
        path.push(word.to_string());
        at += 1;
        let goes_on = is_punct(tokens.get(at), ':')
            && is_punct(tokens.get(at + 1), ':')
            && matches!(tokens.get(at + 2), Some(TokenTree::Ident(_)));
        if !goes_on {
            break;
        }
        at += 2;
    }
    (path, at)
}

/// Whether the tokens end in `name:`.
fn is_name(tokens: &[TokenTree]) -> bool {
    let Some((colon, [.., TokenTree::Ident(field)])) = tokens.split_last() else {
        return false;
    };
    is_punct(Some(colon), ':') && field == "name"
}

/// Whether the tokens end in `..`, so that what follows is a value and no member.
fn is_range(tokens: &[TokenTree]) -> bool {
    let dots = tokens
        .iter()
        .rev()
        .take_while(|&token| is_punct(Some(token), '.'));
    dots.count() > 1
}

fn is_punct(token: Option<&TokenTree>, mark: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == mark)
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The name that an item defines in its module.
fn defined(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}
