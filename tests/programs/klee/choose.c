/* klee_choose, klee_silent_exit, klee_get_obj_size, klee_check_memory_access, klee_mark_global.
 * tests: 4
 * exits: 0 1 2
 * errors: ptr
 * replay: no */
#include <klee/klee.h>
#include <stdlib.h>

int main(void)
{
	char *blocks[3];
	for (int i = 0; i < 3; i++)
		blocks[i] = malloc(4 << i);
	klee_mark_global(blocks[0]);
	uintptr_t which = klee_choose(5);
	if (which == 4)
		klee_silent_exit(0);
	if (which == 3) {
		klee_check_memory_access(blocks[0], 5);
		return 9;
	}
	switch (klee_get_obj_size(blocks[which])) {
	case 4: return 0;
	case 8: return 1;
	case 16: return 2;
	}
	return 8;
}
