# Versions of programs that follow one another, for `plat-bench regress`: the upstream sources, and those behind
# patches of the distribution, step by step. versions/NAME-0.bc is the upstream version, versions/NAME-N.bc the one
# behind the Nth step of its list. Patches between two steps (of documents, of other programs) go with the later one.
.PHONY: versions
VERSIONS := $(BUILD)/versions
versions: $(patsubst %,$(VERSIONS)/%.built,libxml2 make coreutils sqlite)

# $(call patches,SOURCE PACKAGE,DIRECTORY): the upstream sources, and in debian/ the distribution's patches.
patches = rm -rf $2 && archive=$$($(ROOT)/scripts/fetch-source $1) && mkdir -p $2 && \
	tar -C $2 --strip-components=1 -xf "$$archive" && archive=$$($(ROOT)/scripts/fetch-source $1/patches) && \
	case $$archive in *.gz) gzip -dc "$$archive" > $2/patches.diff ;; *) tar -C $2 -xf "$$archive" ;; esac
# $(call step_by_step,DIRECTORY,STEPS,COMMAND): applies the patches, runs the command before them and behind each
# step with N as the step's number.
step_by_step = set -e; N=0; $3; for patch in $$(sed '/^\#/d; s/ .*//' $1/debian/patches/series); do \
	patch -s -f -p1 -d $1 < $1/debian/patches/$$patch; \
	case " $2 " in *" $$patch "*) N=$$((N+1)); $3 ;; esac; done
AS_IT_IS := AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=:

# libxml2: its HTML parser, and its XML parser as libxml2-xml.
LIBXML2_STEPS := CVE-2022-40303-Fix-integer-overflows-with-XML_PARSE_.patch \
	CVE-2022-40304-Fix-dict-corruption-caused-by-entity-.patch \
	CVE-2023-29469-Hashing-of-empty-dict-strings-isn-t-d.patch Also-reset-nsNr-in-htmlCtxtReset.patch \
	CVE-2025-24928.patch CVE-2023-39615_1.patch CVE-2023-39615_2.patch CVE-2023-45322.patch CVE-2025-6021.patch \
	CVE-2025-7425.patch
$(VERSIONS)/libxml2.built: harnesses/libxml2.c | $(BUILD)
	$(call patches,libxml2,$(VERSIONS)/libxml2)
	cd $(VERSIONS)/libxml2 && ./configure -q --disable-shared --without-python --without-zlib --without-lzma \
	    --without-icu --without-threads --without-iconv --without-ftp --without-http $(TOOLS)
	$(call step_by_step,$(VERSIONS)/libxml2,$(LIBXML2_STEPS),\
	    $(MAKE) -s -C $(VERSIONS)/libxml2 $(AS_IT_IS) CFLAGS="$(OPT) $(LTO)" LDFLAGS="-no-pie -fuse-ld=lld" libxml2.la; \
	    for kind in HTML XML; do \
	        $(CLANG) $(OPT) $(LTO) -D$$kind -I$(VERSIONS)/libxml2/include $< $(VERSIONS)/libxml2/.libs/libxml2.a -lm \
	            -no-pie -fuse-ld=lld -Wl$(comma)--save-temps=preopt -o $(VERSIONS)/libxml2/$$kind; \
	        name=libxml2; [ $$kind = HTML ] || name=libxml2-xml; \
	        mv $(VERSIONS)/libxml2/$$kind.0.0.preopt.bc $(VERSIONS)/$$name-$$N.bc; done)
	touch $@
comma := ,

# make: its patches are one file. They are divided by the files that they change.
MAKE_STEPS := read.c posixos.c remake.c output.c
$(VERSIONS)/make.built: | $(BUILD) tools
	$(call patches,make-dfsg,$(VERSIONS)/make)
	mkdir -p $(VERSIONS)/make/debian/patches
	awk '/^--- /{from=$$0} /^[+][+][+] /{to=($$2 ~ /[/]src[/]/) ? $$2 : ""; sub(".*/src/", "", to); \
	    if (to) print from > (d "/" to)} to && !/^--- /{print > (d "/" to)}' \
	    d=$(VERSIONS)/make/debian/patches $(VERSIONS)/make/patches.diff
	printf '%s\n' $(MAKE_STEPS) > $(VERSIONS)/make/debian/patches/series
	cd $(VERSIONS)/make && sed -i '/^man_MANS/d; s/Makefile.in Makefile/Makefile.in/' Makefile.am configure.ac && autoreconf -fi
	cd $(VERSIONS)/make && ./configure -q --disable-nls --disable-load --without-guile $(TOOLS)
	$(MAKE) -s -C $(VERSIONS)/make/lib $(WHOLE)
	$(call step_by_step,$(VERSIONS)/make,$(MAKE_STEPS),\
	    rm -f $(VERSIONS)/make/make; $(MAKE) -s -C $(VERSIONS)/make $(WHOLE) make; \
	    mv $(VERSIONS)/make/make.0.0.preopt.bc $(VERSIONS)/make-$$N.bc)
	touch $@

# coreutils: each patch is of one tool.
COREUTILS_STEPS := 61_whoips.patch 63_dd-appenderrors.patch 72_id_checkngroups.patch
$(VERSIONS)/coreutils.built: | $(BUILD)
	$(call patches,coreutils,$(VERSIONS)/coreutils)
	sed -i -E 's/(pclmul|avx2)_intrinsic_exists=yes/\1_intrinsic_exists=no/' $(VERSIONS)/coreutils/configure
	cd $(VERSIONS)/coreutils && FORCE_UNSAFE_CONFIGURE=1 ./configure -q --disable-nls --disable-acl --disable-xattr \
	    --disable-libcap --without-selinux --without-libgmp --without-openssl --with-included-regex CPPFLAGS=-DNO_ASM $(TOOLS)
	printf 'include Makefile\nbuilt: $$(BUILT_SOURCES)\n' > $(VERSIONS)/coreutils/built.mk
	$(MAKE) -s -C $(VERSIONS)/coreutils -f built.mk built
	$(call step_by_step,$(VERSIONS)/coreutils,$(COREUTILS_STEPS),\
	    for tool in who dd id; do rm -f $(VERSIONS)/coreutils/src/$$tool; \
	        $(MAKE) -s -C $(VERSIONS)/coreutils src/$$tool $(WHOLE); \
	        mv $(VERSIONS)/coreutils/src/$$tool.0.0.preopt.bc $(VERSIONS)/$$tool-$$N.bc; done)
	touch $@

# SQLite.
SQLITE_STEPS := 31-increase_SQLITE_MAX_DEFAULT_PAGE_SIZE_to_32k.patch \
	41-fix_a_bug_in_the_NOT_NULL-IS_NULL_optimization.patch 42-CVE-2025-6965.patch \
	0002-Avoid-a-stack-overflow-that-could-be-caused-by-a-rec.patch
$(VERSIONS)/sqlite.built: harnesses/sqlite.c | $(BUILD) tools
	$(call patches,sqlite3,$(VERSIONS)/sqlite)
	cd $(VERSIONS)/sqlite && ./configure -q --disable-tcl $(TOOLS)
	$(call step_by_step,$(VERSIONS)/sqlite,$(SQLITE_STEPS),\
	    rm -f $(VERSIONS)/sqlite/sqlite3.c; $(MAKE) -s -C $(VERSIONS)/sqlite $(AS_IT_IS) sqlite3.c > $(VERSIONS)/sqlite/log; \
	    for part in harnesses/sqlite.c $(VERSIONS)/sqlite/sqlite3.c; do \
	        $(CLANG) $(OPT) $(LTO) -w $(filter -D%,$(SQLITE_FLAGS)) -I$(VERSIONS)/sqlite -c $$part -o $(VERSIONS)/sqlite/$$(basename $$part .c).part.bc; done; \
	    llvm-link$(LLVM) $(VERSIONS)/sqlite/sqlite.part.bc $(VERSIONS)/sqlite/sqlite3.part.bc -o $(VERSIONS)/sqlite-$$N.bc)
	touch $@
