/* A program's own operators new and delete, and the standard's forms that call them. */
typedef decltype(sizeof 0) size_t;
extern "C" int printf(const char *, ...);
extern "C" void *malloc(size_t);
extern "C" void free(void *);
namespace std { struct nothrow_t {}; extern const nothrow_t nothrow; struct bad_alloc; }
void *operator new(size_t, const std::nothrow_t &) noexcept;

static int live, made;
/* The compiler leaves out allocations that it sees the end of. */
template <class T> static T *seen(T *pointer)
{
	T *volatile kept = pointer;
	return kept;
}

void *operator new(size_t size)
{
	if (size > 1000)
		throw (int)size;
	live++, made++;
	size_t *block = (size_t *)malloc(size + sizeof(size_t));
	*block = size;
	return block + 1;
}

void operator delete(void *block) noexcept
{
	if (!block)
		return;
	live--;
	printf("-%d ", (int)((size_t *)block)[-1]);
	free((size_t *)block - 1);
}

struct Pooled {
	static char pool[64];
	static int used;
	int value;
	static void *operator new(size_t size) { return pool + (used++ * size); }
	static void operator delete(void *) { used--; }
};
alignas(8) char Pooled::pool[64];
int Pooled::used;

struct Counted {
	int value = 2;
	~Counted() { printf("~ "); }
};

int main()
{
	int *one = seen(new int(1));
	int *many = seen(new int[5]);
	Counted *counted = seen(new Counted[3]);
	int *quiet = seen(new (std::nothrow) int(4));
	*many = 7;
	printf("%d %d %d %d\n", live, made, *many, *quiet);
	delete one;
	delete[] many;
	delete[] counted;
	delete quiet;
	Pooled *pooled = seen(new Pooled), *second = seen(new Pooled);
	second->value = 5;
	printf("%d %d ", (int)(second - pooled), Pooled::used);
	delete second;
	delete pooled;
	try {
		delete[] seen(new char[5000]);
	} catch (int size) {
		printf("no %d ", size);
	}
	printf("%d %d %d\n", live, made, Pooled::used);
	return 0;
}
