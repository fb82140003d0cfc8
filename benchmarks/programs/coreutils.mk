# coreutils 9.1: one module and one native binary for each tool. The assembly and the
# vector code for one processor, in factor, wc and cksum, are left out; GNU's regular
# expressions, which are the C library's business, come along.
.PHONY: coreutils
COREUTILS := $(BUILD)/coreutils-9.1
COREUTIL  ?= arch base32 base64 basename basenc cat cksum comm csplit cut dir dircolors dirname echo env \
	expand expr factor false fmt fold head id join link ln ls md5sum mkdir mktemp mv nl numfmt od paste \
	pathchk pr printenv printf ptx pwd readlink realpath rm rmdir seq sha1sum shuf sleep sort split stat \
	sum tac tail tee test touch tr true truncate tsort tty uname unexpand uniq unlink vdir wc yes
coreutils: $(COREUTIL:%=$(BUILD)/coreutils/%.bc)

$(COREUTILS)/configure: | $(BUILD)
	$(call unpack,coreutils,$(COREUTILS))
	sed -i -E 's/(pclmul|avx2)_intrinsic_exists=yes/\1_intrinsic_exists=no/' $@

$(COREUTILS)/Makefile: $(COREUTILS)/configure
	cd $(COREUTILS) && FORCE_UNSAFE_CONFIGURE=1 ./configure -q --disable-nls --disable-dependency-tracking \
	    --disable-acl --disable-xattr --disable-libcap --without-selinux --without-libgmp --without-openssl \
	    --with-included-regex CPPFLAGS=-DNO_ASM $(TOOLS)

$(COREUTILS)/built: $(COREUTILS)/Makefile
	printf 'include Makefile\nbuilt: $$(BUILT_SOURCES)\n' > $(COREUTILS)/built.mk
	$(MAKE) -s -C $(COREUTILS) -f built.mk built
	$(MAKE) -s -C $(COREUTILS) $(COREUTIL:%=src/%)
	mkdir -p $(BUILD)/coreutils
	for tool in $(COREUTIL); do cp $(COREUTILS)/src/$$tool $(BUILD)/coreutils/$$tool.native; done
	find $(COREUTILS) -name '*.[oa]' -delete && rm -f $(COREUTIL:%=$(COREUTILS)/src/%)
	$(MAKE) -s -C $(COREUTILS) $(COREUTIL:%=src/%) $(WHOLE)
	touch $@

$(BUILD)/coreutils/%.bc: $(COREUTILS)/built
	cp $(COREUTILS)/src/$*.0.0.preopt.bc $@
