# Text tools of the distribution. sed, grep and diff take regular expressions from the C library
# (re_search), awk brings its own.
#
# $(call tool,NAME,PACKAGE,DIRECTORY,CONFIGURE OPTIONS,TARGET,MAKE VARIABLES): the sources are built natively first,
# with what they generate on the way, then as bitcode. TARGET is the executable in the sources.
.PHONY: text sed grep gawk diff bc
text: sed grep gawk diff bc

define tool
$1: $$(BUILD)/$1.bc

$$(BUILD)/$3/configure: | $$(BUILD)
	$$(call unpack,$2,$$(BUILD)/$3)

$$(BUILD)/$3/Makefile: $$(BUILD)/$3/configure
	cd $$(BUILD)/$3 && FORCE_UNSAFE_CONFIGURE=1 ./configure -q --disable-nls --disable-dependency-tracking $4 $$(TOOLS)

$$(BUILD)/$1.bc: $$(BUILD)/$3/Makefile
	$$(MAKE) -s -C $$(BUILD)/$3 MAKEINFO=: $6
	cp $$(BUILD)/$3/$5 $$(BUILD)/$1.native
	find $$(BUILD)/$3 -name '*.[oa]' -delete
	rm -f $$(BUILD)/$3/$5
	$$(MAKE) -s -C $$(BUILD)/$3 MAKEINFO=: $6 $$(WHOLE)
	cp $$(BUILD)/$3/$5.0.0.preopt.bc $$@
endef

# The same, counted (see coverage.mk).
define counted
$$(COVERAGE)/$3/configure:
	$$(call unpack,$2,$$(@D))

$$(COVERAGE)/$1: $$(COVERAGE)/$3/configure $$(COVERAGE)/dump.o
	cd $$(COVERAGE)/$3 && FORCE_UNSAFE_CONFIGURE=1 ./configure -q --disable-nls --disable-dependency-tracking $4 $$(GNU)
	$$(MAKE) -s -C $$(COVERAGE)/$3 MAKEINFO=: $6 $$(COUNTING)
	$$(call notes,$1,$$(COVERAGE)/$3/$(dir $5)*.gcno)
	cp $$(COVERAGE)/$3/$5 $$@
endef

$(eval $(call tool,sed,sed,sed-4.9,--disable-acl --without-selinux --without-included-regex,sed/sed))
$(eval $(call tool,grep,grep,grep-3.8,--disable-perl-regexp --without-included-regex,src/grep))
$(eval $(call tool,gawk,gawk,gawk-5.2.1,--disable-extensions --disable-mpfr --disable-pma --without-readline,gawk,SUBDIRS="support ."))
$(eval $(call tool,diff,diffutils,diffutils-3.8,--without-included-regex,src/diff))
$(eval $(call tool,bc,bc,bc-1.07.1,--without-readline --without-libedit,bc/bc))
$(eval $(call counted,sed,sed,sed-4.9,--disable-acl --without-selinux --without-included-regex,sed/sed))
$(eval $(call counted,grep,grep,grep-3.8,--disable-perl-regexp --without-included-regex,src/grep))
$(eval $(call counted,gawk,gawk,gawk-5.2.1,--disable-extensions --disable-mpfr --disable-pma --without-readline,gawk,SUBDIRS="support ."))
$(eval $(call counted,diff,diffutils,diffutils-3.8,--without-included-regex,src/diff))
$(eval $(call counted,bc,bc,bc-1.07.1,--without-readline --without-libedit,bc/bc))
