# Programs that read structured data, of the distribution: xmllint of libxml2 2.9.14, xmlwf of expat 2.5.0, minigzip of
# zlib 1.2.13, the shell of SQLite 3.40.1; and their counted builds (see coverage.mk).
.PHONY: data
data: $(BUILD)/xmllint.bc $(BUILD)/xmlwf.bc $(BUILD)/minigzip.bc $(BUILD)/sqlite3.bc

# $(call listed,NAME,DIRECTORY,FILES,OPTIONS): a program whose files are compiled as they are, with some options.
# DIRECTORY/unpacked has the sources.
define listed
$$(BUILD)/$1.bc: $$(BUILD)/$2/unpacked
	cd $$(BUILD)/$2 && $$(CLANG) $$(OPT) -w $4 $3 -lm -o program
	mv $$(BUILD)/$2/program $$(BUILD)/$1.native
	cd $$(BUILD)/$2 && $$(CLANG) $$(OPT) $$(LTO) -w $4 $3 -lm -no-pie -fuse-ld=lld -Wl,--save-temps=preopt -o program
	mv $$(BUILD)/$2/program.0.0.preopt.bc $$@

$$(COVERAGE)/$1: $$(COVERAGE)/$2/unpacked $$(COVERAGE)/dump.o
	cd $$(COVERAGE)/$2 && for file in $3; do $$(GCC) $$(PLAIN) $$(COUNTS) $4 -c $$$$file -o $$$${file%.c}.o || exit 1; done
	cd $$(COVERAGE)/$2 && $$(GCC) --coverage $(3:.c=.o) $$(DUMP) -lm -o program
	$$(call notes,$1,$(addprefix $$(COVERAGE)/$2/,$(3:.c=.gcno)))
	mv $$(COVERAGE)/$2/program $$@
endef

EXPAT := libexpat/expat
%/$(EXPAT)/unpacked: | $(BUILD)
	$(call unpack,expat,$(dir $(@D)))
	touch $(@D)/lib/expat_config.h $@
$(eval $(call listed,xmlwf,$(EXPAT),$(addprefix lib/,xmlparse.c xmlrole.c xmltok.c) \
    $(addprefix xmlwf/,xmlwf.c xmlfile.c codepage.c readfilemap.c),-Ilib -DXML_NS -DXML_DTD -DXML_CONTEXT_BYTES=1024 -DXML_POOR_ENTROPY -DHAVE_UNISTD_H))

ZLIB := zlib-1.2.13
%/$(ZLIB)/unpacked: | $(BUILD)
	$(call unpack,zlib,$(@D))
$(eval $(call listed,minigzip,$(ZLIB),$(addsuffix .c,adler32 compress crc32 deflate gzclose gzlib gzread gzwrite \
    infback inffast inflate inftrees trees uncompr zutil test/minigzip),-I. -DHAVE_UNISTD_H -D_LARGEFILE64_SOURCE=1))

# Its amalgamation and its shell are generated.
SHELL_OF := sqlite-shell-3.40.1
%/$(SHELL_OF)/unpacked: | $(BUILD) tools
	$(call unpack,sqlite3,$(@D))
	cd $(@D) && ./configure -q --disable-tcl $(TOOLS)
	$(MAKE) -s -C $(@D) sqlite3.c shell.c >/dev/null
	touch $@
$(eval $(call listed,sqlite3,$(SHELL_OF),shell.c sqlite3.c,$(filter -D%,$(SQLITE_FLAGS))))

XMLLINT         := xmllint-2.9.14
XMLLINT_OPTIONS := -q --disable-shared --disable-dependency-tracking --without-python --without-zlib --without-lzma \
	--without-icu --without-threads --without-iconv --without-ftp --without-http --without-readline --without-history
%/$(XMLLINT)/configure: | $(BUILD)
	$(call unpack,libxml2,$(@D))

$(BUILD)/xmllint.bc: $(BUILD)/$(XMLLINT)/configure
	cd $(<D) && ./configure $(XMLLINT_OPTIONS) $(TOOLS)
	$(MAKE) -s -C $(<D) xmllint
	cp $(<D)/xmllint $(BUILD)/xmllint.native
	$(MAKE) -s -C $(<D) clean
	$(MAKE) -s -C $(<D) xmllint $(WHOLE)
	mv $(<D)/xmllint.0.0.preopt.bc $@

$(COVERAGE)/xmllint: $(COVERAGE)/$(XMLLINT)/configure $(COVERAGE)/dump.o
	cd $(<D) && ./configure $(XMLLINT_OPTIONS) $(GNU)
	$(MAKE) -s -C $(<D) xmllint $(COUNTING)
	$(call notes,xmllint,$(<D)/*.gcno)
	cp $(<D)/xmllint $@
