# Builds that count what runs, for `plat-bench coverage`: gcc's --coverage on the files of the tool
# itself and not on its libraries. coverage/NAME is the executable, coverage/NAME.notes its .gcno files.
.PHONY: coverage
COVERAGE := $(BUILD)/coverage
COUNTED  ?= $(COREUTIL) m4 make sed grep gawk diff find bc sqlite3 xmllint xmlwf minigzip
coverage: $(COUNTED:%=$(COVERAGE)/%)

GCC      ?= gcc
PLAIN    := -g -O0 -w
COUNTS   := --coverage -fprofile-abs-path
GNU      := CC=$(GCC) CFLAGS="$(PLAIN)"
DUMP     := $(abspath $(COVERAGE))/dump.o
COUNTING := CFLAGS="$(PLAIN) $(COUNTS)" LDFLAGS="--coverage $(DUMP)"

# What a run covers is written also if it aborts.
$(COVERAGE)/dump.o: harnesses/dump.c
	mkdir -p $(@D)
	$(GCC) -O1 -c $< -o $@

# $(call notes,NAME,FILES): the .gcno files of a program, of those that there are.
notes = rm -rf $(COVERAGE)/$1.notes && mkdir -p $(COVERAGE)/$1.notes && \
	for note in $2; do if [ -f "$$note" ]; then cp "$$note" $(COVERAGE)/$1.notes; fi; done

$(COVERAGE)/coreutils-9.1/configure:
	$(call unpack,coreutils,$(@D))

$(COVERAGE)/coreutils-9.1/built: $(COVERAGE)/coreutils-9.1/configure $(COVERAGE)/dump.o
	cd $(@D) && FORCE_UNSAFE_CONFIGURE=1 ./configure -q --disable-nls --disable-dependency-tracking \
	    --disable-acl --disable-xattr --disable-libcap --without-selinux --without-libgmp --without-openssl \
	    --with-included-regex CPPFLAGS=-DNO_ASM $(GNU)
	printf 'include Makefile\nbuilt: $$(BUILT_SOURCES)\n' > $(@D)/built.mk
	$(MAKE) -s -C $(@D) -f built.mk built
	$(MAKE) -s -C $(@D) lib/libcoreutils.a
	$(MAKE) -s -C $(@D) $(COREUTIL:%=src/%) $(COUNTING)
	touch $@

# ls, md5sum and others are compiled under longer names.
$(COREUTIL:%=$(COVERAGE)/%): $(COVERAGE)/%: $(COVERAGE)/coreutils-9.1/built
	$(call notes,$*,$(<D)/src/$*.gcno $(<D)/src/$*-*.gcno)
	cp $(<D)/src/$* $@

$(COVERAGE)/m4-1.4.19/configure:
	$(call unpack,m4,$(@D))

$(COVERAGE)/m4: $(COVERAGE)/m4-1.4.19/configure $(COVERAGE)/dump.o
	cd $(COVERAGE)/m4-1.4.19 && ./configure -q --disable-nls --disable-dependency-tracking $(GNU)
	$(MAKE) -s -C $(COVERAGE)/m4-1.4.19/lib
	$(MAKE) -s -C $(COVERAGE)/m4-1.4.19/src $(COUNTING)
	$(call notes,m4,$(COVERAGE)/m4-1.4.19/src/*.gcno)
	cp $(COVERAGE)/m4-1.4.19/src/m4 $@

$(COVERAGE)/make-4.3/configure.ac: | tools
	$(call unpack,make-dfsg,$(@D))

$(COVERAGE)/make: $(COVERAGE)/make-4.3/configure.ac $(COVERAGE)/dump.o
	cd $(COVERAGE)/make-4.3 && sed -i '/^man_MANS/d; s/Makefile.in Makefile/Makefile.in/' Makefile.am configure.ac && autoreconf -fi
	cd $(COVERAGE)/make-4.3 && ./configure -q --disable-nls --disable-load --disable-dependency-tracking --without-guile $(GNU)
	$(MAKE) -s -C $(COVERAGE)/make-4.3/lib
	$(MAKE) -s -C $(COVERAGE)/make-4.3 $(COUNTING) make
	$(call notes,make,$(COVERAGE)/make-4.3/src/*.gcno)
	cp $(COVERAGE)/make-4.3/make $@
