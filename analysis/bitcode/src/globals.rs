//! Global variables, their initialisers as bytes and relocations, aliases, constructors.

use crate::constants::limbs;
use crate::llvm::Value;
use crate::reader::{Reader, Symbol, symbol_name};
use inkwell::llvm_sys::LLVMTypeKind::*;
use inkwell::llvm_sys::LLVMValueKind::*;
use plat_program::{Constant, Global, Initializer, MOST_BITS, Relocation};
use plat_program::{FuncId, GlobalId};

impl<'m> Reader<'m> {
    /// Numbers the global variables; their initialisers follow when all symbols are known.
    pub fn declare_globals(&mut self) -> Vec<Value<'m>> {
        let mut declared = Vec::new();
        for value in self.module.globals() {
            let name = symbol_name(value);
            // Lists for the compiler and linker, not memory of the program.
            if name.starts_with("llvm.") {
                continue;
            }
            let id = GlobalId::new(self.program.globals.len());
            let ty = value.value_type();
            let sized = self.is_in_memory(ty);
            let own_align = u64::from(value.alignment());
            let align = match own_align {
                0 if sized => self.module.preferred_align(value),
                _ => own_align,
            };
            self.symbols.insert(value, Symbol::Global(id));
            self.program.global_names.insert(name.clone(), id);
            self.program.globals.push(Global {
                name,
                size: if sized { self.module.alloc_size(ty) } else { 0 },
                align: align.max(1),
                constant: value.is_constant_global(),
                initializer: None,
                location: self.locations.of_definition(value),
            });
            declared.push(value);
        }
        declared
    }

    /// Reads the initialisers of the globals that [`Self::declare_globals`] numbered.
    pub fn initialize_globals(&mut self, declared: &[Value<'m>]) {
        for (at, value) in declared.iter().enumerate() {
            let Some(init) = value.initializer() else {
                continue;
            };
            let mut image = Initializer::default();
            self.flatten(init, 0, &mut image);
            image
                .relocations
                .sort_by_key(|relocation| relocation.offset);
            self.program.globals[at].initializer = Some(image);
        }
    }

    /// Writes constant `value` at byte `offset` of an initialiser. What is written next lies behind.
    fn flatten(&mut self, value: Value<'m>, offset: u64, image: &mut Initializer) {
        let ty = value.ty();
        match value.kind() {
            LLVMConstantAggregateZeroValueKind
            | LLVMConstantPointerNullValueKind
            | LLVMUndefValueValueKind
            | LLVMPoisonValueKind => {}
            LLVMConstantDataArrayValueKind | LLVMConstantDataVectorValueKind => {
                image.bytes.push(offset, value.raw_data());
            }
            _ if value.is_null() => {}
            LLVMConstantIntValueKind
                if ty.kind() == LLVMIntegerTypeKind && ty.int_width() <= MOST_BITS =>
            {
                let bytes = limbs(value).into_iter().flat_map(u64::to_le_bytes);
                let size = ty.int_width().div_ceil(8) as usize;
                (image.bytes).push(offset, &bytes.take(size).collect::<Vec<_>>());
            }
            LLVMConstantArrayValueKind => {
                let stride = self.module.alloc_size(ty.element());
                for at in 0..ty.array_length() {
                    if let Some(element) = value.element(at as u32) {
                        self.flatten(element, offset + at * stride, image);
                    }
                }
            }
            LLVMConstantStructValueKind => {
                for at in 0..ty.field_count() {
                    if let Some(field) = value.element(at) {
                        self.flatten(field, offset + self.module.field_offset(ty, at), image);
                    }
                }
            }
            _ if ty.kind() == LLVMVectorTypeKind => self.flatten_vector(value, offset, image),
            _ => self.flatten_scalar(value, offset, image),
        }
    }

    /// Vectors are packed bit by bit: elements need not be whole bytes.
    fn flatten_vector(&mut self, value: Value<'m>, offset: u64, image: &mut Initializer) {
        let ty = value.ty();
        let bits = match ty.element().kind() {
            LLVMIntegerTypeKind => u64::from(ty.element().int_width()),
            _ => 8 * self.module.store_size(ty.element()),
        };
        let count = ty.vector_length();
        let whole = bits.is_multiple_of(8);
        let mut packed = vec![
            0u8;
            if whole {
                0
            } else {
                self.module.store_size(ty) as usize
            }
        ];
        for at in 0..count {
            let Some(element) = value.element(at) else {
                continue;
            };
            let first = u64::from(at) * bits;
            if whole {
                self.flatten(element, offset + first / 8, image);
                continue;
            }
            if element.kind() != LLVMConstantIntValueKind {
                continue;
            }
            let limbs = limbs(element);
            for bit in 0..bits {
                let set = limbs[(bit / 64) as usize] >> (bit % 64) & 1;
                packed[((first + bit) / 8) as usize] |= (set as u8) << ((first + bit) % 8);
            }
        }
        image.bytes.push(offset, &packed);
    }

    fn flatten_scalar(&mut self, value: Value<'m>, offset: u64, image: &mut Initializer) {
        let size = self.module.store_size(value.ty());
        let id = self.constant(value);
        match &self.program.constants[id.index()] {
            Constant::Null => {}
            Constant::Int { value, .. } | Constant::Float(_, value) => {
                let bytes = value.to_le_bytes();
                image.bytes.push(offset, &bytes[..(size as usize).min(16)]);
            }
            _ => image.relocations.push(Relocation {
                offset,
                size,
                value: id,
            }),
        }
    }

    /// Enters aliases of functions and of whole globals in the symbol tables.
    pub fn name_aliases(&mut self) {
        for alias in self.module.aliases() {
            let target = self.constant(alias);
            let name = symbol_name(alias);
            match self.program.constants[target.index()] {
                Constant::Function(id) => {
                    self.program.function_names.insert(name, id);
                }
                Constant::Global(id, 0) => {
                    self.program.global_names.insert(name, id);
                }
                _ => {}
            }
        }
    }

    /// The functions of `llvm.global_ctors` or `llvm.global_dtors` with their priorities, in
    /// order of the list.
    pub fn structors(&mut self, list: &str) -> Vec<(u64, FuncId)> {
        let globals = self.module.globals();
        let found = globals.into_iter().find(|global| global.name() == list);
        let Some(entries) = found.and_then(Value::initializer) else {
            return Vec::new();
        };
        let count = if entries.kind() == LLVMConstantArrayValueKind {
            entries.ty().array_length()
        } else {
            0
        };
        let mut functions = Vec::new();
        for at in 0..count as u32 {
            let Some(entry) = entries.element(at) else {
                continue;
            };
            let (Some(priority), Some(function)) = (entry.element(0), entry.element(1)) else {
                continue;
            };
            let function = self.constant(function);
            if let Constant::Function(id) = self.program.constants[function.index()] {
                functions.push((priority.zero_extended(), id));
            }
        }
        functions
    }
}
