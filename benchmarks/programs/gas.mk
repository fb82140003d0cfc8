# The assembler of binutils 2.40, for x86-64.
.PHONY: gas
GAS := $(BUILD)/binutils-2.40
gas: $(BUILD)/gas.bc

$(GAS)/configure: | $(BUILD)
	$(call unpack,binutils,$(GAS))

$(GAS)/Makefile: $(GAS)/configure
	cd $(GAS) && ./configure -q --disable-nls --disable-gdb --disable-gdbserver --disable-gold --disable-ld \
	    --disable-gprof --disable-gprofng --disable-plugins --disable-sim --disable-shared --disable-libctf \
	    --without-zstd --without-debuginfod $(TOOLS)

$(BUILD)/gas.bc: $(GAS)/Makefile
	$(MAKE) -s -C $(GAS) all-gas MAKEINFO=true
	cp $(GAS)/gas/as-new $(BUILD)/gas.native
	find $(GAS) -name '*.[oa]' -delete && find $(GAS) -name '*.l[oa]' -delete && rm -f $(GAS)/gas/as-new
	$(MAKE) -s -C $(GAS) all-gas MAKEINFO=true $(WHOLE)
	cp $(GAS)/gas/as-new.0.0.preopt.bc $@
