# Concrete make: lists, pattern rules, functions; run with -n -r.
digits := 0 1 2 3 4 5 6 7 8 9
numbers := $(foreach a,0 1 2 3,$(foreach b,$(digits),$(foreach c,$(digits),$(a)$(b)$(c))))
objects := $(patsubst %,obj/part%.o,$(numbers))
sources := $(subst obj/,src/,$(objects:.o=.c))
reverse = $(if $(1),$(call reverse,$(wordlist 2,$(words $(1)),$(1))) $(firstword $(1)))
all: prog list
prog: $(objects)
	cc -o $@ $^
obj/%.o: src/%.c common.h
	cc -c -o $@ $(filter %.c,$^)
src/%.c: ; touch $@
common.h: ; touch $@
list:
	echo $(call reverse,$(sort $(numbers))) $(words $(filter-out %5,$(sources))) $(join $(numbers),$(addprefix -,$(numbers)))
