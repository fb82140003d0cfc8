# The hash tables of APR 1.7.2, with programs of harnesses: apr.c counts words of standard input, apr-hash.c looks up
# keys as the segmented-memory paper does.
.PHONY: apr
APR := $(BUILD)/apr-1.7.2
apr: $(BUILD)/apr.bc $(BUILD)/apr-hash.bc

$(APR)/configure: | $(BUILD)
	$(call unpack,apr,$(APR))

$(APR)/Makefile: $(APR)/configure
	cd $(APR) && ./configure -q --disable-shared --disable-threads $(TOOLS)

$(BUILD)/apr.bc: harnesses/apr.c $(APR)/Makefile
	$(MAKE) -s -C $(APR) clean
	$(MAKE) -s -C $(APR) libapr-1.la
	$(CLANG) $(OPT) -I$(APR)/include -D_GNU_SOURCE $< $(APR)/.libs/libapr-1.a -o $(BUILD)/apr.native
	$(MAKE) -s -C $(APR) clean
	$(MAKE) -s -C $(APR) CFLAGS="$(OPT) $(LTO)" LDFLAGS="-no-pie -fuse-ld=lld" libapr-1.la
	$(CLANG) $(OPT) $(LTO) -I$(APR)/include -D_GNU_SOURCE $< $(APR)/.libs/libapr-1.a \
	    -no-pie -fuse-ld=lld -Wl,--save-temps=preopt -o $(APR)/harness
	mv $(APR)/harness.0.0.preopt.bc $@

# The library in bitcode is there once apr.bc is.
$(BUILD)/apr-hash.bc: harnesses/apr-hash.c $(BUILD)/apr.bc
	$(CLANG) $(OPT) $(LTO) -I$(APR)/include -D_GNU_SOURCE $< $(APR)/.libs/libapr-1.a \
	    -no-pie -fuse-ld=lld -Wl,--save-temps=preopt -o $(BUILD)/apr-hash.native
	mv $(BUILD)/apr-hash.native.0.0.preopt.bc $@
	rm -f $(BUILD)/apr-hash.native.*
