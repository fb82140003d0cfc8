# plat: set up, build, test, demonstrate.
#
#   make demo     install what is missing, build, run the papers' examples, end in a table
#   make test     the tests
#   make ray      plat-ray, for explorations on several machines, with Ray: target/ray/bin/plat-ray
#   make lint     formatting and lints
#   make build    the command: target/release/plat
#   make libc     the C and C++ libraries in bitcode: target/libc
#   make install  the command, its library, manual pages and completions, under PREFIX (/usr/local);
#                 DESTDIR for packages; `make uninstall` removes them
#   make bench    the papers' tables and figures, BENCH_LIMIT seconds for each run (default 3, an hour in all):
#                 pages in target/suites
#   make fuzz     the fuzz targets (tests/fuzz), FUZZ_TIME seconds each (default 60); FUZZ=NAME for one
#   make programs the benchmark programs: matrix, hashtable, GNU m4
#
# DEMO_TIME bounds the m4 run of the demo (default 60s).

TARGET    := $(or $(CARGO_TARGET_DIR),target)
PLAT      := $(TARGET)/release/plat
LIBC      := $(TARGET)/libc
CLANG     ?= clang-22
DEMO_TIME ?= 60s
FUZZ_TIME ?= 60
BENCH_LIMIT ?= 3
MANUALS   := $(TARGET)/manuals
PREFIX    ?= /usr/local
INTO       = $(DESTDIR)$(PREFIX)

# A toolchain that the set-up has just installed is not in the shell's path yet.
export PATH := $(PATH):$(HOME)/.cargo/bin

.PHONY: all setup build libc ray ray-if-possible manuals programs test lint demo bench fuzz install uninstall clean

all: build libc manuals

setup:
	@scripts/setup

build: setup
	cargo build --release -p plat-command

# What is needed for C++ alone, and is fetched from a package of 200 MB, stops nothing else.
libc: setup
	transform/runtime/build-libc $(LIBC)
	@transform/runtime/build-libcxx $(LIBC) || echo "make: no programs in C++ can be linked: see above" >&2

# Manual pages and completions.
manuals: setup
	cargo run -q --release -p plat-command --example manuals -- $(MANUALS)

programs: setup
	$(MAKE) -s -C benchmarks/programs

ray: setup
	scripts/setup ray $(TARGET)/ray

# The tests of plat-ray on a cluster say that they were not run where it cannot be installed.
ray-if-possible: setup
	@scripts/setup ray $(TARGET)/ray || echo "make: plat-ray is not tested on a cluster: see above" >&2

# The end-to-end tests run the command as it ships.
test: build libc ray-if-possible
	cargo test --workspace --no-fail-fast

lint:
	@scripts/setup lint
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo clippy --manifest-path tests/fuzz/Cargo.toml --target-dir $(TARGET) -- -D warnings

demo: build libc programs
	scripts/demo $(PLAT) $(TARGET)/demo $(DEMO_TIME)

bench: build libc programs
	cargo run -q --release -p plat-benchmarks -- --plat $(PLAT) --libc $(LIBC) \
	    run all --limit $(BENCH_LIMIT) --out $(TARGET)/suites
	cargo run -q --release -p plat-benchmarks -- page $(TARGET)/suites/*

fuzz: build libc
	PLAT=$(PLAT) LIBC=$(LIBC) scripts/fuzz $(FUZZ_TIME) $(FUZZ)

# Copies what `make` has built and builds nothing itself, as it may run as another user. The command
# finds the library relative to itself.
install:
	@test -x $(PLAT) -a -f $(LIBC)/libc.a -a -f $(LIBC)/libc++.a -a -f $(MANUALS)/plat.1 || { echo "install: run make first" >&2; exit 2; }
	install -d $(INTO)/bin $(INTO)/lib/plat/libc $(INTO)/share/plat $(INTO)/share/man/man1 \
	    $(INTO)/share/bash-completion/completions $(INTO)/share/zsh/site-functions \
	    $(INTO)/share/fish/vendor_completions.d
	install -m 755 $(PLAT) $(INTO)/bin/plat
	install -m 644 $(LIBC)/libc.a $(LIBC)/libc++.a $(LIBC)/libc++.LICENSE $(LIBC)/realloc.bc $(LIBC)/libplatRuntest.a \
	    $(LIBC)/libplatSockets.so $(LIBC)/libplatClock.so $(INTO)/lib/plat/libc
	cp -R --no-preserve=ownership $(LIBC)/include $(LIBC)/harness $(INTO)/lib/plat/libc
	install -m 644 plat.mk $(INTO)/share/plat/plat.mk
	install -m 644 $(MANUALS)/*.1 $(INTO)/share/man/man1
	install -m 644 $(MANUALS)/plat.bash $(INTO)/share/bash-completion/completions/plat
	install -m 644 $(MANUALS)/_plat $(INTO)/share/zsh/site-functions/_plat
	install -m 644 $(MANUALS)/plat.fish $(INTO)/share/fish/vendor_completions.d/plat.fish

uninstall:
	rm -f $(INTO)/bin/plat $(INTO)/share/man/man1/plat.1 $(INTO)/share/man/man1/plat-*.1 \
	    $(INTO)/share/bash-completion/completions/plat $(INTO)/share/zsh/site-functions/_plat \
	    $(INTO)/share/fish/vendor_completions.d/plat.fish
	rm -rf $(INTO)/lib/plat $(INTO)/share/plat

clean:
	cargo clean
	$(MAKE) -C benchmarks/programs clean
