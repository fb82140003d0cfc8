# SQLite 3.40.1 in memory, with sqlite.c of harnesses: its arguments are SQL.
.PHONY: sqlite
SQLITE       := $(BUILD)/sqlite-3.40.1
SQLITE_FLAGS := -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_OMIT_WAL -I$(SQLITE)
sqlite: $(BUILD)/sqlite.bc $(BUILD)/sqlite.native

$(SQLITE)/configure: | $(BUILD) tools
	$(call unpack,sqlite3,$(SQLITE))

$(SQLITE)/sqlite3.c: $(SQLITE)/configure
	cd $(SQLITE) && ./configure -q --disable-tcl $(TOOLS)
	$(MAKE) -s -C $(SQLITE) sqlite3.c >/dev/null

$(SQLITE)/sqlite3.bc: $(SQLITE)/sqlite3.c
	$(CLANG) $(OPT) $(LTO) -w $(SQLITE_FLAGS) -c $< -o $@

$(BUILD)/sqlite.bc: harnesses/sqlite.c $(SQLITE)/sqlite3.bc
	$(CLANG) $(OPT) $(LTO) -w $(SQLITE_FLAGS) -c $< -o $(SQLITE)/harness.bc
	llvm-link$(LLVM) $(SQLITE)/harness.bc $(SQLITE)/sqlite3.bc -o $@

$(BUILD)/sqlite.native: harnesses/sqlite.c $(SQLITE)/sqlite3.c
	$(CLANG) $(OPT) -w $(SQLITE_FLAGS) $^ -lm -o $@
