//! The only place that calls Z3's C interface: a context that owns its terms, and solvers in it.
//!
//! The context is of the kind that keeps every term until it is deleted, so that a term is a
//! plain pointer, valid as long as the context. The whole context is dropped when it has grown
//! too large (see [`super`]).

mod float;

use std::ffi::{CStr, CString};

use plat_expr::{BinaryOp, CompareOp};
use rustc_hash::FxHashMap;
use z3_sys as sys;

/// A term of one context. Bit-vectors of width 1 do not occur: they are truth values.
pub(super) type Term = sys::Z3_ast;

/// Z3 refused to make something; what, and its own message.
#[derive(Clone, Debug)]
pub(super) struct Failure(pub String);

pub(super) type Made<T> = Result<T, Failure>;

/// What a check found.
pub(super) enum Verdict {
    Sat,
    Unsat,
    Unknown(String),
}

/// A solver within a context.
#[derive(Clone, Copy)]
pub(super) struct SolverRef(sys::Z3_solver);

/// A model within a context; released with [`Context::release_model`].
pub(super) struct ModelRef(sys::Z3_model);

/// A Z3 context with its terms, sorts and solvers.
pub(super) struct Context {
    raw: sys::Z3_context,
    sorts: FxHashMap<u32, sys::Z3_sort>,
    solvers: Vec<sys::Z3_solver>,
    names: i32,
    /// How many terms were made.
    pub terms: usize,
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the solvers were made in this context, hold one reference each, and are not
        // used after this; the context is deleted once, and its terms go with it.
        unsafe {
            for &solver in &self.solvers {
                sys::Z3_solver_dec_ref(self.raw, solver);
            }
            sys::Z3_del_context(self.raw);
        }
    }
}

impl Context {
    /// A context; `max_memory` megabytes bound what Z3 allocates in the whole process.
    pub fn new(max_memory: u32) -> Made<Self> {
        let value = CString::new(max_memory.to_string()).unwrap_or_default();
        // SAFETY: both strings end in a null byte and are copied.
        unsafe { sys::Z3_global_param_set(c"memory_max_size".as_ptr(), value.as_ptr()) };
        let failed = || Failure("Z3 made no context".to_owned());
        // SAFETY: the configuration is used for this one context and deleted after it; without
        // an error handler Z3 returns null where it fails, which every call below checks.
        unsafe {
            let config = sys::Z3_mk_config().ok_or_else(failed)?;
            let raw = sys::Z3_mk_context(config);
            sys::Z3_del_config(config);
            let raw = raw.ok_or_else(failed)?;
            sys::Z3_set_error_handler(raw, None);
            let (sorts, solvers) = (FxHashMap::default(), Vec::new());
            Ok(Self {
                raw,
                sorts,
                solvers,
                names: 0,
                terms: 0,
            })
        }
    }

    /// Counts a term, or says why there is none.
    fn made(&mut self, term: Option<Term>) -> Made<Term> {
        self.terms += 1;
        term.ok_or_else(|| self.failure("a term"))
    }

    fn failure(&self, what: &str) -> Failure {
        // SAFETY: the context is alive; the message is copied before the next call.
        let message = unsafe {
            let code = sys::Z3_get_error_code(self.raw);
            let message = sys::Z3_get_error_msg(self.raw, code);
            if message.is_null() {
                String::new()
            } else {
                CStr::from_ptr(message).to_string_lossy().into_owned()
            }
        };
        Failure(format!("Z3 failed to make {what}: {message}"))
    }

    fn sort(&mut self, width: u32) -> Made<sys::Z3_sort> {
        if let Some(&sort) = self.sorts.get(&width) {
            return Ok(sort);
        }
        // SAFETY: the context is alive.
        let sort = unsafe { sys::Z3_mk_bv_sort(self.raw, width) };
        let sort = sort.ok_or_else(|| self.failure("a sort"))?;
        self.sorts.insert(width, sort);
        Ok(sort)
    }

    fn fresh(&mut self, sort: sys::Z3_sort) -> Made<Term> {
        self.names += 1;
        // SAFETY: the context is alive and the sort is one of its own.
        let term = unsafe {
            sys::Z3_mk_int_symbol(self.raw, self.names)
                .and_then(|name| sys::Z3_mk_const(self.raw, name, sort))
        };
        self.made(term)
    }

    /// A new variable of `width` bits.
    pub fn variable(&mut self, width: u32) -> Made<Term> {
        let sort = self.sort(width)?;
        self.fresh(sort)
    }

    /// A new array variable.
    pub fn array(&mut self, index_width: u32, width: u32) -> Made<Term> {
        let (domain, range) = (self.sort(index_width)?, self.sort(width)?);
        // SAFETY: the context is alive and both sorts are its own.
        let sort = unsafe { sys::Z3_mk_array_sort(self.raw, domain, range) };
        let sort = sort.ok_or_else(|| self.failure("an array sort"))?;
        self.fresh(sort)
    }

    pub fn boolean(&mut self, value: bool) -> Made<Term> {
        // SAFETY: the context is alive.
        let term = unsafe {
            if value {
                sys::Z3_mk_true(self.raw)
            } else {
                sys::Z3_mk_false(self.raw)
            }
        };
        self.made(term)
    }

    /// A constant of any width from its limbs.
    pub fn constant(&mut self, width: u32, limbs: &[u64]) -> Made<Term> {
        if width <= 64 {
            let sort = self.sort(width)?;
            // SAFETY: the context is alive and the sort is its own.
            let term = unsafe { sys::Z3_mk_unsigned_int64(self.raw, limbs[0], sort) };
            return self.made(term);
        }
        let mut joined: Option<Term> = None;
        for (at, &limb) in limbs.iter().enumerate() {
            let piece = self.constant((width - 64 * at as u32).min(64), &[limb])?;
            joined = Some(match joined {
                Some(low) => self.concat(piece, low)?,
                None => piece,
            });
        }
        joined.ok_or_else(|| Failure("a constant of no width".to_owned()))
    }

    /// A bit-vector operation.
    pub fn binary(&mut self, op: BinaryOp, a: Term, b: Term) -> Made<Term> {
        let make = match op {
            BinaryOp::Add => sys::Z3_mk_bvadd,
            BinaryOp::Sub => sys::Z3_mk_bvsub,
            BinaryOp::Mul => sys::Z3_mk_bvmul,
            BinaryOp::UDiv => sys::Z3_mk_bvudiv,
            BinaryOp::SDiv => sys::Z3_mk_bvsdiv,
            BinaryOp::URem => sys::Z3_mk_bvurem,
            BinaryOp::SRem => sys::Z3_mk_bvsrem,
            BinaryOp::Shl => sys::Z3_mk_bvshl,
            BinaryOp::LShr => sys::Z3_mk_bvlshr,
            BinaryOp::AShr => sys::Z3_mk_bvashr,
            BinaryOp::And => sys::Z3_mk_bvand,
            BinaryOp::Or => sys::Z3_mk_bvor,
            BinaryOp::Xor => sys::Z3_mk_bvxor,
        };
        // SAFETY: the context is alive, both terms are its own; a wrong sort gives null.
        let term = unsafe { make(self.raw, a, b) };
        self.made(term)
    }

    /// An operation on truth values.
    pub fn logical(&mut self, op: BinaryOp, a: Term, b: Term) -> Made<Term> {
        let operands = [a, b];
        // SAFETY: the context is alive, both terms are its own, and the array outlives the call.
        let term = unsafe {
            match op {
                BinaryOp::And => sys::Z3_mk_and(self.raw, 2, operands.as_ptr()),
                BinaryOp::Or => sys::Z3_mk_or(self.raw, 2, operands.as_ptr()),
                _ => sys::Z3_mk_xor(self.raw, a, b),
            }
        };
        self.made(term)
    }

    /// A comparison; `Eq` also of truth values.
    pub fn compare(&mut self, op: CompareOp, a: Term, b: Term) -> Made<Term> {
        let make = match op {
            CompareOp::Eq => sys::Z3_mk_eq,
            CompareOp::Ult => sys::Z3_mk_bvult,
            CompareOp::Slt => sys::Z3_mk_bvslt,
        };
        // SAFETY: the context is alive, both terms are its own; a wrong sort gives null.
        let term = unsafe { make(self.raw, a, b) };
        self.made(term)
    }

    pub fn not(&mut self, a: Term) -> Made<Term> {
        // SAFETY: the context is alive and the term its own.
        let term = unsafe { sys::Z3_mk_not(self.raw, a) };
        self.made(term)
    }

    pub fn bvnot(&mut self, a: Term) -> Made<Term> {
        // SAFETY: the context is alive and the term its own.
        let term = unsafe { sys::Z3_mk_bvnot(self.raw, a) };
        self.made(term)
    }

    pub fn ite(&mut self, c: Term, a: Term, b: Term) -> Made<Term> {
        // SAFETY: the context is alive and the terms its own.
        let term = unsafe { sys::Z3_mk_ite(self.raw, c, a, b) };
        self.made(term)
    }

    pub fn extract(&mut self, a: Term, low: u32, width: u32) -> Made<Term> {
        // SAFETY: the context is alive and the term its own; bounds outside it give null.
        let term = unsafe { sys::Z3_mk_extract(self.raw, low + width - 1, low, a) };
        self.made(term)
    }

    pub fn concat(&mut self, high: Term, low: Term) -> Made<Term> {
        // SAFETY: the context is alive and the terms its own.
        let term = unsafe { sys::Z3_mk_concat(self.raw, high, low) };
        self.made(term)
    }

    pub fn zero_extend(&mut self, a: Term, by: u32) -> Made<Term> {
        // SAFETY: the context is alive and the term its own.
        let term = unsafe { sys::Z3_mk_zero_ext(self.raw, by, a) };
        self.made(term)
    }

    pub fn sign_extend(&mut self, a: Term, by: u32) -> Made<Term> {
        // SAFETY: the context is alive and the term its own.
        let term = unsafe { sys::Z3_mk_sign_ext(self.raw, by, a) };
        self.made(term)
    }

    pub fn select(&mut self, array: Term, index: Term) -> Made<Term> {
        // SAFETY: the context is alive and the terms its own.
        let term = unsafe { sys::Z3_mk_select(self.raw, array, index) };
        self.made(term)
    }

    /// A solver for a logic, or the general one.
    pub fn solver(&mut self, logic: Option<&str>) -> Made<SolverRef> {
        let symbol = |text: &str| {
            let text = CString::new(text).unwrap_or_default();
            // SAFETY: the context is alive; Z3 copies the text.
            unsafe { sys::Z3_mk_string_symbol(self.raw, text.as_ptr()) }
        };
        let missing = || Failure("Z3 made no solver".to_owned());
        let name = logic.map(symbol);
        // SAFETY: the context is alive; the solver gets the reference that keeps it.
        let solver = unsafe {
            let solver = match name {
                Some(name) => sys::Z3_mk_solver_for_logic(self.raw, name.ok_or_else(missing)?),
                None => sys::Z3_mk_simple_solver(self.raw),
            };
            let solver = solver.ok_or_else(missing)?;
            sys::Z3_solver_inc_ref(self.raw, solver);
            solver
        };
        self.solvers.push(solver);
        Ok(SolverRef(solver))
    }

    /// Bounds every check from now on: its time, and its work in Z3's units, where 0 is no bound.
    pub fn limit(&mut self, solver: SolverRef, milliseconds: u32, work: u32) -> Made<()> {
        let missing = || Failure("Z3 made no parameters".to_owned());
        // SAFETY: the context is alive and the solver its own; Z3 copies names and values; the
        // parameters get a reference, which is given back.
        unsafe {
            let time =
                sys::Z3_mk_string_symbol(self.raw, c"timeout".as_ptr()).ok_or_else(missing)?;
            let units =
                sys::Z3_mk_string_symbol(self.raw, c"rlimit".as_ptr()).ok_or_else(missing)?;
            let params = sys::Z3_mk_params(self.raw).ok_or_else(missing)?;
            sys::Z3_params_inc_ref(self.raw, params);
            sys::Z3_params_set_uint(self.raw, params, time, milliseconds);
            sys::Z3_params_set_uint(self.raw, params, units, work);
            sys::Z3_solver_set_params(self.raw, solver.0, params);
            sys::Z3_params_dec_ref(self.raw, params);
        }
        Ok(())
    }

    /// Gives a solver back.
    pub fn release_solver(&mut self, solver: SolverRef) {
        if let Some(at) = self.solvers.iter().position(|&known| known == solver.0) {
            self.solvers.swap_remove(at);
            // SAFETY: the solver was in the list, so it holds the reference from `solver`; it is
            // no longer in the list, so the reference is given back once.
            unsafe { sys::Z3_solver_dec_ref(self.raw, solver.0) };
        }
    }

    /// Opens a scope.
    pub fn push(&mut self, solver: SolverRef) {
        // SAFETY: the solver belongs to this context, which is alive.
        unsafe { sys::Z3_solver_push(self.raw, solver.0) };
    }

    /// Closes `scopes` scopes, which were opened.
    pub fn pop(&mut self, solver: SolverRef, scopes: usize) {
        if scopes > 0 {
            // SAFETY: the solver belongs to this context, which is alive; Z3 refuses to close
            // more scopes than are open.
            unsafe { sys::Z3_solver_pop(self.raw, solver.0, scopes as u32) };
        }
    }

    /// Asserts a term in the innermost scope.
    pub fn assert(&mut self, solver: SolverRef, term: Term) {
        // SAFETY: solver and term belong to this context, which is alive.
        unsafe { sys::Z3_solver_assert(self.raw, solver.0, term) };
    }

    /// Whether the assertions hold together.
    pub fn check(&mut self, solver: SolverRef) -> Verdict {
        // SAFETY: the solver belongs to this context, which is alive; the reason is copied
        // before the next call.
        unsafe {
            let found = sys::Z3_solver_check(self.raw, solver.0);
            match found {
                sys::Z3_L_TRUE => Verdict::Sat,
                sys::Z3_L_FALSE => Verdict::Unsat,
                _ => {
                    let reason = sys::Z3_solver_get_reason_unknown(self.raw, solver.0);
                    let reason = if reason.is_null() {
                        String::new()
                    } else {
                        CStr::from_ptr(reason).to_string_lossy().into_owned()
                    };
                    Verdict::Unknown(reason)
                }
            }
        }
    }

    /// The model of the last satisfiable check.
    pub fn model(&mut self, solver: SolverRef) -> Made<ModelRef> {
        // SAFETY: the solver belongs to this context, which is alive; the model gets a reference
        // that `release_model` gives back.
        unsafe {
            let model = sys::Z3_solver_get_model(self.raw, solver.0);
            let model = model.ok_or_else(|| self.failure("a model"))?;
            sys::Z3_model_inc_ref(self.raw, model);
            Ok(ModelRef(model))
        }
    }

    pub fn release_model(&mut self, model: ModelRef) {
        // SAFETY: the model holds the reference taken in `model`, and is consumed here.
        unsafe { sys::Z3_model_dec_ref(self.raw, model.0) };
    }

    /// The value of a bit-vector term of at most 64 bits; 0 where the model says nothing.
    pub fn model_value(&mut self, model: &ModelRef, term: Term) -> u64 {
        let (mut result, mut value) = (term, 0u64);
        // SAFETY: model and term belong to this context, which is alive; both out-pointers are
        // to locals.
        unsafe {
            if sys::Z3_model_eval(self.raw, model.0, term, true, &mut result) {
                sys::Z3_get_numeral_uint64(self.raw, result, &mut value);
            }
        }
        value
    }
}
