/* new and delete, and what does not go together. */
#include <klee/klee.h>

typedef decltype(sizeof 0) size_t;
extern "C" void *malloc(size_t);
extern "C" void free(void *);
namespace std { struct nothrow_t {}; enum class align_val_t : size_t {}; }
void *operator new(size_t, const std::nothrow_t &) noexcept;
void operator delete(void *, size_t) noexcept;

struct Counted {
	static int live;
	int value = 3;
	Counted() { live++; }
	~Counted() { live--; }
};
int Counted::live;
struct alignas(64) Wide { char bytes[64]; };
static volatile int sink;

int main()
{
	int way = klee_range(0, 16, "way");
	int *one = new int(1), *many = new int[4], *block = (int *)malloc(4);
	if (way == 0) {
		delete one;
		delete[] many;
		free(block);
	}
	if (way == 1)
		delete[] one; //~ free: memory error: mismatched deallocation | allocated by operator new, released by operator delete[]
	if (way == 2)
		delete many; //~ free: memory error: mismatched deallocation | allocated by operator new[], released by operator delete
	if (way == 3)
		free(one); //~ free: memory error: mismatched deallocation | allocated by operator new, released by free
	if (way == 4)
		delete block; //~ free: memory error: mismatched deallocation | allocated by malloc, released by operator delete
	if (way == 5)
		free(many); //~ free: memory error: mismatched deallocation | allocated by operator new[], released by free
	if (way == 6) {
		delete one;
		delete one; //~ ptr: memory error: double free
	}
	if (way == 7) {
		delete one;
		sink = *one; //~ ptr: memory error: use after free
	}
	if (way == 8) {
		int *none = nullptr;
		delete none;
		delete[] none;
	}
	if (way == 9) {
		Counted *counted = new Counted[3];
		sink = Counted::live;
		delete[] counted;
		sink = 7 / (Counted::live + 1);
	}
	if (way == 10) {
		Counted *counted = new Counted[3];
		delete counted; //~ ptr: memory error: invalid pointer: free | offset 8
	}
	if (way == 11) {
		Wide *wide = new Wide;
		sink = (int)((size_t)wide & 63);
		if (sink)
			delete[] many;
		delete wide;
	}
	if (way == 12) {
		int *quiet = new (*(const std::nothrow_t *)&sink) int(2);
		delete quiet;
	}
	if (way == 13) {
		Counted *counted = new Counted;
		counted->~Counted();
		operator delete(counted);
	}
	if (way == 14)
		many[4] = 1; //~ ptr: memory error: out of bound pointer | heap object
	if (way == 15)
		delete (one + 1); //~ ptr: memory error: invalid pointer: free | at offset 4
	return 0;
}
