# plat's stages as make rules. Include this file in a Makefile:
#
#   include /path/to/plat.mk
#   test: prog.plat-out
#
# and make builds what a change made stale, and only that:
#
#   prog.bc -> prog.linked.bc -> prog.pts -> prog.segments.json -> prog.plat.bc -> prog.plat-out/
#
# Options: PLAT (the command), PLAT_LINK_FLAGS, PLAT_ANALYZE_FLAGS, PLAT_SEGMENT_FLAGS,
# PLAT_TRANSFORM_FLAGS, PLAT_RUN_FLAGS, and PLAT_ARGS, the arguments of the program under test.

PLAT ?= plat

.PRECIOUS: %.bc %.linked.bc %.pts %.segments.json %.plat.bc
.DELETE_ON_ERROR:

%.linked.bc: %.bc
	$(PLAT) link $(PLAT_LINK_FLAGS) $< -o $@

%.pts: %.linked.bc
	$(PLAT) analyze $(PLAT_ANALYZE_FLAGS) $< -o $@

%.segments.json: %.linked.bc %.pts
	$(PLAT) segment $(PLAT_SEGMENT_FLAGS) $< --points-to $*.pts -o $@

%.plat.bc: %.linked.bc %.segments.json
	$(PLAT) transform $(PLAT_TRANSFORM_FLAGS) $< --segments $*.segments.json -o $@

# The output directory must not exist before a run. It is newer than the program
# exactly when the run has ended.
%.plat-out: %.plat.bc
	rm -rf $@ $@.part
	$(PLAT) run $(PLAT_RUN_FLAGS) --output-dir $@.part $< $(PLAT_ARGS)
	mv $@.part $@
	touch $@
