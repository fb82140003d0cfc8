# findutils 4.9.0: find.
.PHONY: find
FINDUTILS := $(BUILD)/findutils-4.9.0
find: $(BUILD)/find.bc

$(FINDUTILS)/configure: | $(BUILD)
	$(call unpack,findutils,$(FINDUTILS))

$(FINDUTILS)/Makefile: $(FINDUTILS)/configure
	cd $(FINDUTILS) && FORCE_UNSAFE_CONFIGURE=1 ./configure -q --disable-nls --disable-dependency-tracking \
	    --without-selinux --with-included-regex $(TOOLS)

$(BUILD)/find.bc: $(FINDUTILS)/Makefile
	$(MAKE) -s -C $(FINDUTILS)/gl
	$(MAKE) -s -C $(FINDUTILS)/lib
	$(MAKE) -s -C $(FINDUTILS)/find
	cp $(FINDUTILS)/find/find $(BUILD)/find.native
	for part in gl lib find; do $(MAKE) -s -C $(FINDUTILS)/$$part clean; done
	$(MAKE) -s -C $(FINDUTILS)/gl $(WHOLE)
	$(MAKE) -s -C $(FINDUTILS)/lib $(WHOLE)
	$(MAKE) -s -C $(FINDUTILS)/find $(WHOLE)
	cp $(FINDUTILS)/find/find.0.0.preopt.bc $@

# Counted (see coverage.mk).
$(COVERAGE)/findutils-4.9.0/configure:
	$(call unpack,findutils,$(@D))

$(COVERAGE)/find: $(COVERAGE)/findutils-4.9.0/configure $(COVERAGE)/dump.o
	cd $(<D) && FORCE_UNSAFE_CONFIGURE=1 ./configure -q --disable-nls --disable-dependency-tracking \
	    --without-selinux --with-included-regex $(GNU)
	$(MAKE) -s -C $(<D)/gl
	$(MAKE) -s -C $(<D)/lib
	$(MAKE) -s -C $(<D)/find $(COUNTING)
	$(call notes,find,$(<D)/find/*.gcno)
	cp $(<D)/find/find $@
