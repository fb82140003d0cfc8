/* Exceptions that nobody catches, and other ends of C++ programs. */
#include <klee/klee.h>

struct Error { int code; };
struct Abstract {
	Abstract() { call(); }
	void call() { pure(); } //~ abort: abort failure: pure virtual method called
	virtual void pure() = 0;
};
struct Concrete : Abstract { void pure() override {} };
static volatile int sink;

static void raise(int kind)
{
	if (kind == 0)
		throw 1; //~ abort: abort failure: uncaught exception of type int
	if (kind == 1)
		throw Error{2}; //~ abort: abort failure: uncaught exception of type Error
}

static void quiet(int kind) noexcept
{
	raise(kind); //~ abort: abort failure: uncaught exception of type int
}

static void deeper(int way)
{
	struct Cleanup { ~Cleanup() { sink = 1; } } cleanup;
	try {
		raise(way);
	} catch (const char *) {
		sink = 2;
	}
}

struct Owner {
	int *part = new int(3);
	~Owner() { delete part; }
};
static Owner *kept;

int main()
{
	int way = klee_range(0, 10, "way");
	if (way == 0)
		raise(0);
	if (way == 1)
		deeper(1);
	if (way == 2)
		try {
			raise(1);
		} catch (Error &error) {
			sink = error.code;
		}
	if (way == 3)
		try {
			throw;	//~ abort: abort failure: rethrow without an exception
		} catch (...) {
		}
	if (way == 4)
		new Concrete;
	if (way == 5)
		try {
			deeper(0);
		} catch (...) {
			sink = 3;
		}
	if (way == 6)
		quiet(2);
	if (way == 8) {
		try {
			throw Owner();
		} catch (Owner &owner) {
			kept = &owner;
			sink = *owner.part;
		}
		sink = kept->part != 0; //~ ptr: memory error: use after free
	}
	if (way == 9)
		delete[] new char[1ul << 40]; //~ abort: abort failure: uncaught exception of type std::bad_alloc
	if (way == 7)
		try {
			quiet(0);
		} catch (int) {
		}
	return 0;
}
