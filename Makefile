# plat: set up, build, test, demonstrate.
#
#   make demo     install what is missing, build, run the papers' examples, end in a table
#   make test     the tests
#   make lint     formatting and lints
#   make build    the command: target/release/plat
#   make libc     the C library in bitcode: target/libc
#   make bench    the papers' figures, measured: tables of paths, queries, time
#   make fuzz     the allocators under libFuzzer for FUZZ_TIME seconds (default 60)
#   make programs the benchmark programs: matrix, hashtable, GNU m4
#
# DEMO_TIME bounds the m4 run of the demo (default 60s).

TARGET    := $(or $(CARGO_TARGET_DIR),target)
PLAT      := $(TARGET)/release/plat
LIBC      := $(TARGET)/libc
DEMO_TIME ?= 60s
FUZZ_TIME ?= 60

# A toolchain that the set-up has just installed is not in the shell's path yet.
export PATH := $(PATH):$(HOME)/.cargo/bin

.PHONY: all setup build libc programs test lint demo bench fuzz clean

all: build libc

setup:
	@scripts/setup

build: setup
	cargo build --release -p plat

libc: setup
	transform/runtime/build-libc $(LIBC)

programs: setup
	$(MAKE) -s -C benchmarks/programs

# The end-to-end tests run the command as it ships.
test: build libc
	cargo test --workspace --no-fail-fast

lint:
	@scripts/setup lint
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

demo: build libc programs
	scripts/demo $(PLAT) $(TARGET)/demo $(DEMO_TIME)

bench: build libc programs
	cargo run -q --release -p plat-benchmarks -- --plat $(PLAT) --libc $(LIBC) papers

# What cargo-fuzz would pass; so neither it nor a nightly compiler is needed. The explicit target
# keeps the flags from build scripts.
FUZZ_FLAGS := --cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table

fuzz: setup
	RUSTFLAGS="$(FUZZ_FLAGS)" cargo run --release --target-dir $(TARGET)/fuzz \
	    --target $$(rustc -vV | sed -n 's/^host: //p') \
	    --manifest-path executor/allocator/fuzz/Cargo.toml -- -max_total_time=$(FUZZ_TIME) -artifact_prefix=$(TARGET)/fuzz/

clean:
	cargo clean
	$(MAKE) -C benchmarks/programs clean
