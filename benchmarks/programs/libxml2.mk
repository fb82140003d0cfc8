# The HTML parser of libxml2 2.9.14, with libxml2.c of harnesses: a page on standard input.
.PHONY: libxml2
LIBXML2 := $(BUILD)/libxml2-2.9.14
libxml2: $(BUILD)/libxml2.bc

$(LIBXML2)/configure: | $(BUILD)
	$(call unpack,libxml2,$(LIBXML2))

$(LIBXML2)/Makefile: $(LIBXML2)/configure
	cd $(LIBXML2) && ./configure -q --disable-shared --disable-dependency-tracking --without-python --without-zlib \
	    --without-lzma --without-icu --without-threads --without-iconv --without-ftp --without-http $(TOOLS)

$(BUILD)/libxml2.bc: harnesses/libxml2.c $(LIBXML2)/Makefile
	$(MAKE) -s -C $(LIBXML2) clean
	$(MAKE) -s -C $(LIBXML2) libxml2.la
	$(CLANG) $(OPT) -I$(LIBXML2)/include $< $(LIBXML2)/.libs/libxml2.a -lm -o $(BUILD)/libxml2.native
	$(MAKE) -s -C $(LIBXML2) clean
	$(MAKE) -s -C $(LIBXML2) CFLAGS="$(OPT) $(LTO)" LDFLAGS="-no-pie -fuse-ld=lld" libxml2.la
	$(CLANG) $(OPT) $(LTO) -I$(LIBXML2)/include $< $(LIBXML2)/.libs/libxml2.a -lm \
	    -no-pie -fuse-ld=lld -Wl,--save-temps=preopt -o $(LIBXML2)/harness
	mv $(LIBXML2)/harness.0.0.preopt.bc $@
