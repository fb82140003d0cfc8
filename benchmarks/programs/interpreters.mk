# Interpreters that hash and intern what they read: Lua 5.4.4, mujs 1.3.2, mawk 1.3.4, dash 0.5.12,
# jimsh 0.81, Duktape 2.7.0, the awk of Aho, Weinberger and Kernighan (bwk) of 2022-09-12, mksh 59c, gpp 2.27. The cases of `plat-bench tables` run them.
.PHONY: interpreters
INTERPRETERS := lua mujs mawk dash jimsh duktape bwk mksh gpp
interpreters: $(INTERPRETERS:%=$(BUILD)/%.bc)

LUA   := $(BUILD)/lua-5.4.4
MUJS  := $(BUILD)/mujs-1.3.2
MAWK  := $(BUILD)/mawk-1.3.4
DASH  := $(BUILD)/dash-0.5.12
JIMSH := $(BUILD)/jimsh-0.81
DUKTAPE := $(BUILD)/duktape-2.7.0
BWK   := $(BUILD)/original-awk-2022-09-12
MKSH  := $(BUILD)/mksh-59c
GPP   := $(BUILD)/gpp-2.27

$(LUA)/Makefile: | $(BUILD)
	$(call unpack,lua5.4,$(LUA))

# Nothing of POSIX: no locale, no dynamic loading.
$(BUILD)/lua.bc: $(LUA)/Makefile
	$(MAKE) -s -C $(LUA)/src lua CC=$(CLANG) CFLAGS="$(OPT) -std=gnu99"
	cp $(LUA)/src/lua $(BUILD)/lua.native
	$(MAKE) -s -C $(LUA)/src clean
	$(MAKE) -s -C $(LUA)/src lua CC=$(CLANG) CFLAGS="$(OPT) -std=gnu99 $(LTO)" AR="llvm-ar$(LLVM) rcu" \
	    RANLIB=llvm-ranlib$(LLVM) LDFLAGS="-no-pie -fuse-ld=lld -Wl,--save-temps=preopt"
	cp $(LUA)/src/lua.0.0.preopt.bc $@

$(MUJS)/Makefile: | $(BUILD)
	$(call unpack,mujs,$(MUJS))

$(BUILD)/mujs.bc: $(MUJS)/Makefile
	cd $(MUJS) && $(CLANG) $(OPT) main.c one.c -lm -o $(abspath $(BUILD))/mujs.native
	cd $(MUJS) && $(CLANG) $(OPT) $(LTO) main.c one.c -lm -no-pie -fuse-ld=lld \
	    -Wl,--save-temps=preopt -o mujs
	cp $(MUJS)/mujs.0.0.preopt.bc $@

# $(call configured,DIRECTORY,EXECUTABLE,NAME): a program with a configure script and one executable.
configured = $(MAKE) -s -C $1 && cp $1/$2 $(BUILD)/$3.native && $(MAKE) -s -C $1 clean && \
	$(MAKE) -s -C $1 $(WHOLE) && cp $1/$2.0.0.preopt.bc $@

$(MAWK)/configure: | $(BUILD)
	$(call unpack,mawk,$(MAWK))

$(BUILD)/mawk.bc: $(MAWK)/configure
	cd $(MAWK) && ./configure --silent $(TOOLS)
	$(call configured,$(MAWK),mawk,mawk)

$(DASH)/configure: | $(BUILD)
	$(call unpack,dash,$(DASH))

$(BUILD)/dash.bc: $(DASH)/configure
	cd $(DASH) && ./configure -q --disable-dependency-tracking $(TOOLS)
	$(call configured,$(DASH),src/dash,dash)

$(JIMSH)/configure: | $(BUILD)
	$(call unpack,jimtcl,$(JIMSH))

$(BUILD)/jimsh.bc: $(JIMSH)/configure
	cd $(JIMSH) && ./configure --disable-docs --disable-lineedit --without-ext=default --with-ext=aio $(TOOLS) > configure.log
	$(call configured,$(JIMSH),jimsh,jimsh)

$(DUKTAPE)/Makefile.cmdline: | $(BUILD)
	$(call unpack,duktape,$(DUKTAPE))

$(BUILD)/duktape.bc: $(DUKTAPE)/Makefile.cmdline
	$(MAKE) -s -C $(DUKTAPE) -f Makefile.cmdline $(TOOLS)
	mv $(DUKTAPE)/duk $(BUILD)/duktape.native
	$(MAKE) -s -C $(DUKTAPE) -f Makefile.cmdline $(TOOLS) $(WHOLE)
	cp $(DUKTAPE)/duk.0.0.preopt.bc $@

$(BWK)/makefile: | $(BUILD)
	$(call unpack,original-awk,$(BWK))

# The makefile links with no LDFLAGS. The generator that it runs on the way stays native.
$(BUILD)/bwk.bc: $(BWK)/makefile
	$(MAKE) -s -C $(BWK) HOSTCC=$(CLANG) CFLAGS="$(OPT)"
	mv $(BWK)/a.out $(BUILD)/bwk.native
	rm -f $(BWK)/*.o
	$(MAKE) -s -C $(BWK) HOSTCC=$(CLANG) CFLAGS="$(OPT) $(LTO)" ALLOC="-no-pie -fuse-ld=lld -Wl,--save-temps=preopt"
	cp $(BWK)/a.out.0.0.preopt.bc $@

$(MKSH)/Build.sh: | $(BUILD)
	$(call unpack,mksh,$(MKSH))

$(BUILD)/mksh.bc: $(MKSH)/Build.sh
	cd $(MKSH) && $(TOOLS) sh Build.sh -r -j > build.log 2>&1
	mv $(MKSH)/mksh $(BUILD)/mksh.native
	cd $(MKSH) && $(TOOLS) $(WHOLE) sh Build.sh -r -j > build.log 2>&1
	cp $(MKSH)/mksh.0.0.preopt.bc $@

$(GPP)/configure: | $(BUILD)
	$(call unpack,gpp,$(GPP))

$(BUILD)/gpp.bc: $(GPP)/configure
	cd $(GPP) && ./configure -q --disable-dependency-tracking $(TOOLS)
	$(call configured,$(GPP),src/gpp,gpp)
