CC = cc
objects := $(patsubst %,%.o,main part)
show_list = $(foreach o,$(objects),[$(o)])
ifdef EXTRA
objects += extra.o
endif

prog: $(objects)
	$(CC) -o $@ $^
%.o: %.c
	$(CC) -c $< -o $@
main.c part.c:
	touch $@
show: ; $(info $(show_list) $(words $(objects)) $(sort b a b) $(subst a,b,banana) $(call reverse,1,2))
reverse = $(2) $(1)
clean:
	rm -f prog $(objects)
.PHONY: show clean
