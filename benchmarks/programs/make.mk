# GNU make 4.3. The distribution's archive has no configure: autoreconf writes it.
.PHONY: make
MAKE43 := $(BUILD)/make-4.3
make: $(BUILD)/make.bc

$(MAKE43)/configure.ac: | $(BUILD) tools
	$(call unpack,make-dfsg,$(MAKE43))

$(MAKE43)/Makefile: $(MAKE43)/configure.ac
	cd $(MAKE43) && sed -i '/^man_MANS/d; s/Makefile.in Makefile/Makefile.in/' Makefile.am configure.ac && autoreconf -fi
	cd $(MAKE43) && ./configure -q --disable-nls --disable-load --disable-dependency-tracking --without-guile $(TOOLS)

$(BUILD)/make.bc: $(MAKE43)/Makefile
	$(MAKE) -s -C $(MAKE43)/lib
	$(MAKE) -s -C $(MAKE43) make
	cp $(MAKE43)/make $(BUILD)/make.native
	$(MAKE) -s -C $(MAKE43) clean
	$(MAKE) -s -C $(MAKE43)/lib $(WHOLE)
	$(MAKE) -s -C $(MAKE43) $(WHOLE) make
	cp $(MAKE43)/make.0.0.preopt.bc $@
