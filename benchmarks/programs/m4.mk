# GNU m4 1.4.19.
M4 := $(BUILD)/m4-1.4.19
m4: $(BUILD)/m4.bc

$(M4)/configure: | $(BUILD)
	$(call unpack,m4,$(M4))

$(M4)/Makefile: $(M4)/configure
	cd $(M4) && ./configure -q --disable-nls --disable-dependency-tracking $(TOOLS)

$(BUILD)/m4.bc: $(M4)/Makefile
	$(MAKE) -s -C $(M4)/lib
	$(MAKE) -s -C $(M4)/src
	cp $(M4)/src/m4 $(BUILD)/m4.native
	$(MAKE) -s -C $(M4)/lib clean
	$(MAKE) -s -C $(M4)/src clean
	$(MAKE) -s -C $(M4)/lib $(WHOLE)
	$(MAKE) -s -C $(M4)/src $(WHOLE)
	cp $(M4)/src/m4.0.0.preopt.bc $@
