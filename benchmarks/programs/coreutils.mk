# coreutils 9.1: one module and one native binary for each tool. The hand-written
# vector code of wc and cksum is left out.
.PHONY: coreutils
COREUTILS := $(BUILD)/coreutils-9.1
COREUTIL  ?= arch base32 base64 basename basenc cat cksum comm csplit cut dir dircolors dirname echo env \
	expand expr factor false fmt fold head id join link ln ls md5sum mkdir mktemp mv nl numfmt od paste \
	pathchk pr printenv printf ptx pwd readlink realpath rm rmdir seq sha1sum shuf sleep sort split stat \
	sum tac tail tee test touch tr true truncate tsort tty uname unexpand uniq unlink vdir wc yes
coreutils: $(COREUTIL:%=$(BUILD)/coreutils/%.bc)

$(COREUTILS)/configure: | $(BUILD)
	$(call unpack,coreutils,$(COREUTILS))

$(COREUTILS)/Makefile: $(COREUTILS)/configure
	cd $(COREUTILS) && FORCE_UNSAFE_CONFIGURE=1 ./configure -q --disable-nls --disable-dependency-tracking \
	    --disable-acl --disable-xattr --disable-libcap --without-selinux --without-libgmp --without-openssl \
	    utils_cv_avx2_intrinsic_exists=no utils_cv_pclmul_intrinsic_exists=no $(TOOLS)

$(COREUTILS)/built: $(COREUTILS)/Makefile
	printf 'include Makefile\nbuilt: $$(BUILT_SOURCES)\n' > $(COREUTILS)/built.mk
	$(MAKE) -s -C $(COREUTILS) -f built.mk built $(WHOLE)
	$(MAKE) -s -C $(COREUTILS) $(COREUTIL:%=src/%) $(WHOLE)
	touch $@

$(BUILD)/coreutils/%.bc: $(COREUTILS)/built
	mkdir -p $(@D)
	cp $(COREUTILS)/src/$* $(BUILD)/coreutils/$*.native
	cp $(COREUTILS)/src/$*.0.0.preopt.bc $@
