//! What a file is that is neither bitcode nor textual IR, and what to do about it.

const BITCODE: [&[u8]; 2] = [b"BC\xc0\xde", b"\xde\xc0\x17\x0b"];
const ARCHIVE: &[u8] = b"!<arch>\n";
const THIN_ARCHIVE: &[u8] = b"!<thin>\n";
const ELF: &[u8] = b"\x7fELF";
/// The type in the header of an ELF file that is no linked program.
const RELOCATABLE: [u8; 2] = [1, 0];

/// Sections of ELF files that hold bitcode (`-fembed-bitcode`, `-ffat-lto-objects`).
const SECTIONS: [&str; 2] = [".llvmbc", ".llvm.lto"];

/// Whether a file begins as bitcode does.
pub fn is_bitcode(bytes: &[u8]) -> bool {
    BITCODE.iter().any(|magic| bytes.starts_with(magic))
}

/// What it is and what to do, in one line; none if that is not known.
pub fn describe(bytes: &[u8]) -> Option<String> {
    if bytes.starts_with(THIN_ARCHIVE) {
        return Some(
            "a thin archive, which only names other files: merge those with llvm-link-22, and give its \
             result"
                .into(),
        );
    }
    if bytes.starts_with(ARCHIVE) {
        return Some(if BITCODE.iter().any(|magic| contains(bytes, magic)) {
            "an archive: unpack it with llvm-ar-22 x, merge its members with llvm-link-22, and give the \
             result"
                .into()
        } else {
            "an archive of native code: compile its sources with clang-22 -emit-llvm -c".into()
        });
    }
    if bytes.starts_with(ELF) {
        return Some(elf(bytes));
    }
    source(bytes)
}

fn elf(bytes: &[u8]) -> String {
    let what = match bytes.get(16..18) {
        Some(kind) if kind == RELOCATABLE => "a native object file",
        _ => "a native program or library",
    };
    let named = |name: &&&str| contains(bytes, format!("\0{name}\0").as_bytes());
    match SECTIONS.iter().find(named) {
        Some(section) => format!(
            "{what} with bitcode in it: llvm-objcopy-22 --dump-section {section}=OUT.bc FILE /dev/null \
             takes it out"
        ),
        None => format!(
            "{what}: compile its sources with clang-22 -emit-llvm -c, or link them with -flto \
             (README, `From your Makefile to plat`)"
        ),
    }
}

/// Whether it looks like the source of a program.
fn source(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut lines = text.lines().map(str::trim_start);
    let begins = |words: &[&str], line: &str| words.iter().any(|word| line.starts_with(word));
    lines.find_map(|line| {
        let why = if begins(&["#include", "#define", "int main(", "void main("], line) {
            "C source: compile it with clang-22 -O0 -Xclang -disable-O0-optnone -g -emit-llvm -c"
        } else if begins(&["fn main(", "use std::", "pub fn "], line) {
            "Rust source: compile it with rustc --emit=llvm-bc"
        } else if begins(
            &["define ", "declare ", "target triple", "source_filename"],
            line,
        ) {
            // Damaged textual IR, which LLVM's parser says more about.
            return Some(None);
        } else {
            return None;
        };
        Some(Some(why.to_owned()))
    })?
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_files_are_told_apart() {
        let says = |bytes: &[u8]| describe(bytes).unwrap_or_default();
        let archive = [ARCHIVE, b"member BC\xc0\xde"].concat();
        assert!(says(&archive).contains("llvm-ar-22"));
        assert!(says(ARCHIVE).contains("native code"));
        assert!(says(THIN_ARCHIVE).contains("thin"));
        let object = [ELF, &[0; 12], &RELOCATABLE, b"\0.text\0"].concat();
        assert!(says(&object).contains("a native object file: compile"));
        let fat = [&object[..], b".llvm.lto\0"].concat();
        assert!(says(&fat).contains("--dump-section .llvm.lto=OUT.bc"));
        assert!(says(ELF).contains("a native program"));
        assert!(says(b"// c\n#include <stdio.h>\n").contains("C source"));
        assert!(says(b"fn main() {}\n").contains("Rust source"));
        assert_eq!(describe(b"define i32 @main( {\n#include"), None);
        assert_eq!(describe(b"no program at all\n"), None);
    }
}
