//! Random C programs of variadic calls, for comparison with native runs.
//!
//! A program has some functions of random named and variable parameters: integers of all widths,
//! floating-point and complex numbers, vectors, and structures, unions and arrays of these, packed
//! and over-aligned ones too. Each prints what it receives, read with `va_arg` by itself, by a
//! helper that it hands its list to, from a copy of the list, or by the library's `vprintf`; each
//! is called directly or through a pointer. Padding is not printed, as it has no value.

use fastrand::Rng;
use std::fmt::Write as _;

/// Functions in a program.
const FUNCTIONS: u64 = 20;

const HEAD: &str = r#"#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static __attribute__((noinline)) void show(const void *from, int size)
{
	const unsigned char *bytes = from;
	for (int i = size; i-- > 0;)
		printf("%02x", bytes[i]);
	putchar(' ');
}
#define SHOW(x) show(&(x), sizeof(x))
#define SHOW_EXTENDED(x) show(&(x), 10)
#define SHOW_BITS(x) do { long long bits = (x); show(&bits, 8); } while (0)
#define SHOW_WIDE(x, count) do { \
		unsigned _BitInt(256) bits = (x); \
		for (int i = 0; i < count; i++) { \
			unsigned long long part = bits; \
			show(&part, 8); \
			bits >>= 63; \
			bits >>= 1; \
		} \
	} while (0)
"#;

/// A type with the code that prints an object of it.
#[derive(Clone)]
struct Type {
    /// As a declaration has it.
    name: String,
    shape: Shape,
}

#[derive(Clone)]
enum Shape {
    /// A number or pointer; how it is printed and an initialiser with `#` for a random number.
    Scalar {
        show: &'static str,
        init: &'static str,
        /// A conversion of `printf` that takes it.
        conversion: &'static str,
        /// A compatible type for `va_arg`.
        twin: &'static str,
    },
    /// A `_BitInt` of so many bits.
    Wide(u64),
    /// A vector of so many elements.
    Vector(u64),
    /// A structure or union; members by name.
    Record {
        union: bool,
        members: Vec<(String, Member)>,
    },
}

#[derive(Clone)]
enum Member {
    Plain(Type),
    Array(Type, u64),
    Bits(u64),
}

const fn scalar(
    show: &'static str,
    init: &'static str,
    conversion: &'static str,
    twin: &'static str,
) -> Shape {
    Shape::Scalar {
        show,
        init,
        conversion,
        twin,
    }
}

/// Scalar types that can be passed as they are; further ones are for members only.
const PASSED: usize = 15;
const SCALARS: &[(&str, Shape)] = &[
    ("int", scalar("SHOW", "#", "%d", "unsigned")),
    ("unsigned", scalar("SHOW", "#u", "%u", "int")),
    (
        "long",
        scalar("SHOW", "#l * 4294967297l", "%ld", "unsigned long"),
    ),
    (
        "unsigned long long",
        scalar("SHOW", "#ull << 20", "%llx", "long long"),
    ),
    ("void *", scalar("SHOW", "(void *)#", "%p", "char *")),
    (
        "const char *",
        scalar("SHOW_TEXT", "\"text #\"", "%s", "void *"),
    ),
    ("double", scalar("SHOW", "#.375", "%f", "double")),
    ("double", scalar("SHOW", "-#e40", "%g", "double")),
    (
        "long double",
        scalar("SHOW_EXTENDED", "#.1L", "", "long double"),
    ),
    ("__float128", scalar("SHOW", "#.1Q", "", "__float128")),
    ("_Float16", scalar("SHOW", "#.5f16 / 64", "", "_Float16")),
    (
        "__int128",
        scalar("SHOW", "(__int128)#ull << 50", "", "unsigned __int128"),
    ),
    (
        "_Complex double",
        scalar("SHOW", "#. + #.i", "", "_Complex double"),
    ),
    (
        "_Complex float",
        scalar("SHOW", "#.f + #.if", "", "_Complex float"),
    ),
    (
        "_Complex long double",
        scalar("SHOW_COMPLEX", "#.L + #.iL", "", "_Complex long double"),
    ),
    ("char", scalar("SHOW", "# % 128", "", "")),
    ("short", scalar("SHOW", "# % 32768", "", "")),
    ("float", scalar("SHOW", "#.25f", "", "")),
    ("unsigned char", scalar("SHOW", "# % 256", "", "")),
    ("_Bool", scalar("SHOW", "# % 2", "", "")),
];

/// Element type and count of vectors.
const VECTORS: &[(&str, u64)] = &[
    ("float", 2),
    ("float", 4),
    ("double", 2),
    ("int", 2),
    ("int", 4),
    ("char", 8),
    ("short", 8),
    ("long", 1),
    ("long", 2),
    ("float", 8),
    ("double", 8),
];

const WIDTHS: &[u64] = &[3, 17, 33, 63, 64, 65, 100, 127, 128, 129, 200, 256];

struct Generator {
    random: Rng,
    /// Definitions of types and objects.
    definitions: String,
    functions: String,
    /// Assignments to the objects.
    values: String,
    main: String,
    names: u32,
}

/// The text of a program; the same for the same seed.
pub fn program(seed: u64) -> String {
    let mut generator = Generator {
        random: Rng::with_seed(seed),
        definitions: String::new(),
        functions: String::new(),
        values: String::new(),
        main: String::new(),
        names: 0,
    };
    for _ in 0..FUNCTIONS {
        generator.function();
    }
    let Generator {
        definitions,
        functions,
        values,
        main,
        ..
    } = generator;
    format!(
        "{HEAD}#define SHOW_TEXT(x) show(x, strlen(x))\n\
         #define SHOW_COMPLEX(x) do {{ long double parts[2] = {{ __real(x), __imag(x) }}; \
         show(&parts[0], 10); show(&parts[1], 10); }} while (0)\n\
         {definitions}{functions}\
         static __attribute__((noinline)) void assign(void)\n{{\n{values}}}\n\
         int main(void)\n{{\n\tassign();\n{main}\treturn 0;\n}}\n"
    )
}

impl Generator {
    fn one_in(&mut self, count: u64) -> bool {
        self.random.u64(..count) == 0
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn scalar(&mut self, count: usize) -> Type {
        let (name, shape) = &SCALARS[self.random.usize(..count)];
        Type {
            name: (*name).into(),
            shape: shape.clone(),
        }
    }

    /// A type that an argument can have.
    fn argument(&mut self) -> Type {
        match self.random.u64(..16) {
            0 => self.wide(),
            1 => self.vector(),
            2..6 => self.record(2),
            6..9 => self.scalar(8),
            _ => self.scalar(PASSED),
        }
    }

    fn wide(&mut self) -> Type {
        let bits = WIDTHS[self.random.usize(..WIDTHS.len())];
        let sign = if self.one_in(2) { "unsigned " } else { "" };
        Type {
            name: format!("{sign}_BitInt({bits})"),
            shape: Shape::Wide(bits),
        }
    }

    fn vector(&mut self) -> Type {
        let (element, count) = VECTORS[self.random.usize(..VECTORS.len())];
        let name = self.name("vector");
        let _ = writeln!(
            self.definitions,
            "typedef {element} {name} __attribute__((vector_size({count} * sizeof({element}))));"
        );
        Type {
            name,
            shape: Shape::Vector(count),
        }
    }

    fn record(&mut self, depth: u32) -> Type {
        let union = self.one_in(8);
        let packed = self.one_in(10);
        let count = match self.random.u64(..12) {
            0 => u64::from(union),
            1..9 => 1 + self.random.u64(..3),
            _ => 1 + self.random.u64(..8),
        };
        let mut members = Vec::new();
        let mut text = String::new();
        for at in 0..count {
            let member = format!("m{at}");
            let kind = match self.random.u64(..10) {
                0 if !union => Member::Bits(1 + self.random.u64(..40)),
                // Clang does not take from registers what it passes in them where a union has a
                // number of 128 bits and shorter ones.
                1 if union => Member::Array(self.scalar(8), 1 + self.random.u64(..3)),
                _ if union => Member::Plain(self.scalar(8)),
                1 => Member::Array(self.member(depth), 1 + self.random.u64(..3)),
                _ => Member::Plain(self.member(depth)),
            };
            let aligned = match self.one_in(20) {
                true => " __attribute__((aligned(32)))",
                false => "",
            };
            let _ = match &kind {
                Member::Plain(ty) => writeln!(text, "\t{} {member}{aligned};", ty.name),
                Member::Array(ty, size) => writeln!(text, "\t{} {member}[{size}];", ty.name),
                Member::Bits(width) => writeln!(text, "\tlong long {member} : {width};"),
            };
            members.push((member, kind));
        }
        let align = match self.random.u64(..16) {
            0..3 if !union => " __attribute__((aligned(16)))",
            3 => " __attribute__((aligned(32)))",
            4 => " __attribute__((aligned(64)))",
            5 => " __attribute__((aligned(8)))",
            _ if packed => " __attribute__((packed))",
            _ => "",
        };
        // Clang takes an object of 16 bytes, the second eight of them padding, from two registers
        // where it passes one.
        if align.contains("16") && !union {
            let parts = ["long", "double"][self.random.usize(..2)];
            let ty = Type {
                name: parts.into(),
                shape: scalar("SHOW", "#", "", ""),
            };
            text = format!("\t{parts} pair[2];\n");
            members.clear();
            members.push(("pair".into(), Member::Array(ty, 2)));
        }
        let tag = self.name("record");
        let what = if union { "union" } else { "struct" };
        let _ = writeln!(self.definitions, "{what} {tag} {{\n{text}}}{align};");
        Type {
            name: format!("{what} {tag}"),
            shape: Shape::Record { union, members },
        }
    }

    fn member(&mut self, depth: u32) -> Type {
        match self.random.u64(..14) {
            0 if depth > 0 => self.record(depth - 1),
            1 => self.vector(),
            2 => self.wide(),
            3..6 => self.scalar(8),
            _ => self.scalar(SCALARS.len()),
        }
    }

    /// An initialiser.
    fn initial(&mut self, ty: &Type) -> String {
        match &ty.shape {
            Shape::Scalar { init, .. } => self.numbered(init),
            Shape::Wide(bits) => {
                let number = self.random.u64(..) >> (64 - bits.min(&60));
                let shift = bits.saturating_sub(60);
                format!("({})(({})({number}ull) << {shift})", ty.name, ty.name)
            }
            Shape::Vector(count) => {
                let parts: Vec<String> = (0..*count).map(|_| self.numbered("# % 128")).collect();
                format!("{{ {} }}", parts.join(", "))
            }
            Shape::Record { union, members } => {
                let count = if *union { 1 } else { members.len() };
                let parts: Vec<String> = members[..count]
                    .iter()
                    .map(|(_, member)| match member {
                        Member::Plain(ty) => self.initial(ty),
                        Member::Array(ty, size) => {
                            let parts: Vec<String> = (0..*size).map(|_| self.initial(ty)).collect();
                            format!("{{ {} }}", parts.join(", "))
                        }
                        Member::Bits(width) => {
                            let bits = self.random.u64(..);
                            let number =
                                bits.checked_shr(65 - *width as u32).unwrap_or(0) & u64::MAX >> 1;
                            number.to_string()
                        }
                    })
                    .collect();
                format!("{{ {} }}", parts.join(", "))
            }
        }
    }

    fn numbered(&mut self, init: &str) -> String {
        let mut parts = init.split('#');
        let mut text = parts.next().unwrap_or_default().to_string();
        for part in parts {
            let _ = write!(text, "{}{part}", 1 + self.random.u64(..1000));
        }
        text
    }

    /// Statements that print an object.
    fn show(ty: &Type, object: &str, into: &mut String) {
        let _ = match &ty.shape {
            Shape::Scalar { show, .. } => writeln!(into, "\t{show}({object});"),
            Shape::Wide(bits) => writeln!(into, "\tSHOW_WIDE({object}, {});", bits.div_ceil(64)),
            Shape::Vector(_) => writeln!(into, "\tSHOW({object});"),
            Shape::Record { union, members } => {
                let count = if *union { 1 } else { members.len() };
                for (name, member) in &members[..count] {
                    let member_of = format!("{object}.{name}");
                    match member {
                        Member::Plain(ty) => Self::show(ty, &member_of, into),
                        Member::Array(ty, size) => {
                            for at in 0..*size {
                                Self::show(ty, &format!("{member_of}[{at}]"), into);
                            }
                        }
                        Member::Bits(_) => {
                            let _ = writeln!(into, "\tSHOW_BITS({member_of});");
                        }
                    }
                }
                Ok(())
            }
        };
    }

    /// A variable of a type, with a value that the compiler does not know.
    fn object(&mut self, ty: &Type) -> String {
        let name = self.name("value");
        let initial = self.initial(ty);
        let _ = writeln!(self.definitions, "{} {name};", ty.name);
        let value = match ty.shape {
            Shape::Record { .. } | Shape::Vector(_) => format!("({}){initial}", ty.name),
            _ => initial,
        };
        let _ = writeln!(self.values, "\t{name} = {value};");
        name
    }

    fn function(&mut self) {
        let named: Vec<Type> = (0..self.random.u64(..8)).map(|_| self.argument()).collect();
        let count = match self.random.u64(..3) {
            0 => self.random.u64(..4),
            _ => 3 + self.random.u64(..12),
        };
        let further: Vec<Type> = (0..count).map(|_| self.argument()).collect();
        let function = self.name("function");
        let parameters: Vec<String> = named
            .iter()
            .enumerate()
            .map(|(at, ty)| format!("{} p{at}, ", ty.name))
            .collect();
        let result = match self.random.u64(..4) {
            0 => self.record(0),
            1 => self.scalar(PASSED),
            _ => Type {
                name: "int".into(),
                shape: SCALARS[0].1.clone(),
            },
        };
        let returned = self.object(&result);

        let mut body = String::new();
        for (at, ty) in named.iter().enumerate() {
            Self::show(ty, &format!("p{at}"), &mut body);
        }
        body += "\tva_list list;\n\tva_start(list);\n";
        let mut at = 0;
        while at < further.len() {
            let rest = &further[at..];
            at += match self.random.u64(..8) {
                0 => self.by_helper(rest, &mut body),
                1 => self.by_copy(rest, &mut body),
                2 => self.by_printf(rest, &mut body),
                _ => self.taken(&rest[0], "list", &mut body),
            };
        }
        body += "\tva_end(list);\n";
        let _ = writeln!(
            self.functions,
            "static __attribute__((noinline)) {} {function}({}...)\n{{\n{body}\treturn {returned};\n}}",
            result.name,
            parameters.concat()
        );
        self.call(&function, &parameters, &result, &[named, further].concat());
    }

    fn call(&mut self, function: &str, parameters: &[String], result: &Type, arguments: &[Type]) {
        let values: Vec<String> = arguments.iter().map(|ty| self.object(ty)).collect();
        let mut called = function.to_string();
        if self.one_in(3) {
            called = self.name("pointer");
            let _ = writeln!(
                self.main,
                "\t{} (*volatile {called})({}...) = {function};",
                result.name,
                parameters.concat()
            );
        }
        let received = self.name("result");
        let _ = writeln!(
            self.main,
            "\tprintf(\"\\n{function}: \");\n\t{} {received} = {called}({});",
            result.name,
            values.join(", ")
        );
        Self::show(result, &received, &mut self.main);
    }

    /// `va_arg` of a type.
    fn taken(&mut self, ty: &Type, list: &str, body: &mut String) -> usize {
        let name = self.name("taken");
        let mut read = ty.name.as_str();
        if let Shape::Scalar { twin, .. } = ty.shape
            && self.one_in(4)
        {
            read = twin;
        }
        let declared = &ty.name;
        let _ = writeln!(
            body,
            "\t{declared} {name} = ({declared})va_arg({list}, {read});"
        );
        // Structures cannot be cast, not even to themselves.
        if matches!(ty.shape, Shape::Record { .. }) {
            *body = body.replace(&format!("({declared})va_arg"), "va_arg");
        }
        Self::show(ty, &name, body);
        1
    }

    /// Some arguments taken by another function, from the same list.
    fn by_helper(&mut self, rest: &[Type], body: &mut String) -> usize {
        let count = 1 + self.random.usize(..rest.len());
        let helper = self.name("helper");
        let (parameter, list, given) = match self.one_in(2) {
            true => ("va_list *list", "*list", "&list"),
            false => ("va_list list", "list", "list"),
        };
        let mut text = String::new();
        for ty in &rest[..count] {
            self.taken(ty, list, &mut text);
        }
        let _ = writeln!(
            self.functions,
            "static __attribute__((noinline)) void {helper}({parameter})\n{{\n{text}}}"
        );
        // A list is an array, so that the caller's goes on where the helper stopped, on x86-64.
        let _ = writeln!(body, "\t{helper}({given});");
        count
    }

    /// Some arguments taken from a copy of the list, which itself stays where it is.
    fn by_copy(&mut self, rest: &[Type], body: &mut String) -> usize {
        let copy = self.name("copy");
        let count = 1 + self.random.usize(..rest.len());
        let _ = writeln!(body, "\tva_list {copy};\n\tva_copy({copy}, list);");
        for ty in &rest[..count] {
            self.taken(ty, &copy, body);
        }
        let _ = writeln!(body, "\tva_end({copy});");
        0
    }

    /// Leading arguments that `printf` knows, printed from a copy of the list; the list itself
    /// moves on by one argument.
    fn by_printf(&mut self, rest: &[Type], body: &mut String) -> usize {
        let conversion = |ty: &Type| match ty.shape {
            Shape::Scalar { conversion, .. } if !conversion.is_empty() => Some(conversion),
            _ => None,
        };
        let conversions: Vec<&str> = rest.iter().map_while(conversion).collect();
        if !conversions.is_empty() {
            let copy = self.name("copy");
            let _ = writeln!(
                body,
                "\tva_list {copy};\n\tva_copy({copy}, list);\n\tvprintf(\"{} \", {copy});\n\
                 \tva_end({copy});",
                conversions.join(" ")
            );
        }
        self.taken(&rest[0], "list", body)
    }
}
