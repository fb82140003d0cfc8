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
# PLAT_TRANSFORM_FLAGS, PLAT_RUN_FLAGS, PLAT_IDEAL_FLAGS (also of plat compare), and PLAT_ARGS, the
# arguments of the program under test.

PLAT ?= plat

.PRECIOUS: %.bc %.linked.bc %.pts %.segments.json %.plat.bc
.PRECIOUS: %.ideal.segments.json %.ideal.plat.bc
.DELETE_ON_ERROR:

%.linked.bc: %.bc
	$(PLAT) link $(PLAT_LINK_FLAGS) $< -o $@

%.pts: %.linked.bc
	$(PLAT) analyze $(PLAT_ANALYZE_FLAGS) $< -o $@

%.segments.json: %.linked.bc %.pts
	$(PLAT) segment $(PLAT_SEGMENT_FLAGS) $< --points-to $*.pts -o $@

%.plat.bc: %.linked.bc %.segments.json
	$(PLAT) transform $(PLAT_TRANSFORM_FLAGS) $< --segments $*.segments.json -o $@

# The segments that an actual run needs, instead of those that the analysis draws:
# prog.ideal.plat-out is the run with them, prog.compare.txt and prog.compare.svg set both
# beside each other.
%.ideal.segments.json: %.bc
	$(PLAT) ideal $(PLAT_IDEAL_FLAGS) -o $@ $< $(PLAT_ARGS)

%.ideal.plat.bc: %.linked.bc %.ideal.segments.json
	$(PLAT) transform $(PLAT_TRANSFORM_FLAGS) $< --segments $*.ideal.segments.json -o $@

%.compare.txt: %.bc
	$(PLAT) compare $(PLAT_IDEAL_FLAGS) --svg $*.compare.svg $< $(PLAT_ARGS) > $@

# The output directory must not exist before a run. It is newer than the program
# exactly when the run has ended.
%.plat-out: %.plat.bc
	rm -rf $@ $@.part
	$(PLAT) run $(PLAT_RUN_FLAGS) --output-dir $@.part $< $(PLAT_ARGS)
	mv $@.part $@
	touch $@
