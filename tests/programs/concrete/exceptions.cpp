/* Exceptions: what is caught where, what is cleaned up on the way, and rethrowing. */
typedef decltype(sizeof 0) size_t;
extern "C" int printf(const char *, ...);

struct Trace {
	const char *name;
	explicit Trace(const char *name) : name(name) { printf("+%s ", name); }
	Trace(const Trace &other) : name(other.name) { printf("=%s ", name); }
	~Trace() { printf("-%s ", name); }
};

struct Error {
	int code;
	explicit Error(int code) : code(code) {}
	Error(const Error &other) : code(other.code) {}
	virtual ~Error() { printf("~Error%d ", code); }
	virtual const char *what() const { return "Error"; }
};
struct Special : Error {
	using Error::Error;
	const char *what() const override { return "Special"; }
};
struct Left { virtual ~Left() {} int l = 1; };
struct Right { virtual ~Right() {} int r = 2; };
struct Both : Left, Right { int b = 3; };
struct Hidden : private Left { int h = 4; };
struct Virtual : virtual Left { int v = 5; };
struct Diamond : Virtual, virtual Left { int d = 6; };
enum Colour { RED, GREEN };

static int where;

static void thrower(int kind)
{
	Trace inner("inner");
	where = kind;
	static int target = 77;
	switch (kind) {
	case 0: throw 42;
	case 1: throw "text";
	case 2: throw Error(2);
	case 3: throw Special(3);
	case 4: throw Both();
	case 5: throw Hidden();
	case 6: throw Diamond();
	case 7: throw 2.5;
	case 8: throw &target;
	case 9: throw nullptr;
	case 10: throw GREEN;
	case 11: throw (const Special *)0;
	case 12: throw 42u;
	case 13: throw Trace("thrown");
	case 14: throw new Both();
	}
}

static void middle(int kind)
{
	Trace middle("middle");
	try {
		thrower(kind);
	} catch (const Special &special) {
		printf("[middle %s %d] ", special.what(), special.code);
		throw;
	} catch (Colour colour) {
		printf("[middle colour %d] ", colour);
	}
}

static void outer(int kind)
{
	try {
		middle(kind);
		printf("[nothing]");
	} catch (int number) {
		printf("[int %d]", number);
	} catch (const char *text) {
		printf("[text %s]", text);
	} catch (Error &error) {
		printf("[error %s %d]", error.what(), error.code);
	} catch (Right *right) {
		printf("[right pointer %d]", right->r);
	} catch (Right &right) {
		printf("[right %d]", right.r);
	} catch (Left &left) {
		printf("[left %d]", left.l);
	} catch (double number) {
		printf("[double %d]", (int)(number * 10));
	} catch (const void *pointer) {
		printf("[pointer %d]", pointer ? *(const int *)pointer : -1);
	} catch (Trace trace) {
		printf("[trace %s]", trace.name);
	} catch (...) {
		printf("[something]");
	}
	printf("\n");
}

static int nested()
{
	try {
		try {
			throw 1;
		} catch (int one) {
			try {
				throw one + 1;
			} catch (int two) {
				printf("inner %d ", two);
				try {
					throw;
				} catch (int again) {
					printf("again %d ", again);
				}
			}
			throw;
		}
	} catch (int last) {
		printf("last %d\n", last);
		return last;
	}
	return 0;
}

struct Throws {
	Trace member;
	Throws() : member("member") { throw 5; }
	~Throws() { printf("never "); }
};

static void function_try() try {
	Throws *throws = new Throws;
	delete throws;
} catch (int number) {
	printf("constructor threw %d\n", number);
}

static void from_destructor_of_temporary(bool raise)
{
	struct Late {
		bool raise;
		~Late() noexcept(false) { if (raise) throw 9; }
	};
	try {
		Late late{raise};
		printf("body ");
	} catch (int number) {
		printf("late %d ", number);
	}
	printf("done\n");
}

static int loops()
{
	int total = 0;
	for (int i = 0; i < 100; i++)
		try {
			if (i % 3 == 0)
				throw i;
			total++;
		} catch (int number) {
			total += number;
		}
	return total;
}

static int recursive(int depth)
{
	Trace *none = nullptr;
	if (depth == 0)
		throw Special(100);
	int result = recursive(depth - 1) + 1;
	delete none;
	return result;
}

static bool quiet() noexcept
{
	try {
		recursive(500);
	} catch (const Error &error) {
		return error.code == 100;
	}
	return false;
}

struct Shape { virtual ~Shape() {} virtual int area() const = 0; };
struct Named { virtual ~Named() {} virtual const char *name() const { return "named"; } };
struct Square : Shape { int side; explicit Square(int side) : side(side) {} int area() const override { return side * side; } };
struct Label : Square, Named { explicit Label(int side) : Square(side) {} const char *name() const override { return "label"; } };

static void casts()
{
	Label label(3);
	Square square(2);
	Shape *shapes[2] = {&label, &square};
	for (Shape *shape : shapes) {
		Named *named = dynamic_cast<Named *>(shape);
		Label *down = dynamic_cast<Label *>(shape);
		Square *half = dynamic_cast<Square *>(shape);
		printf("%d %s %d %d\n", shape->area(), named ? named->name() : "-", down == &label, half != nullptr);
	}
	Diamond diamond;
	Left *left = &diamond;
	printf("%d %d\n", dynamic_cast<Virtual *>(left)->v, dynamic_cast<Diamond *>(left)->d);
	void *whole = dynamic_cast<void *>(left);
	printf("%d\n", whole == &diamond);
}

static int counter()
{
	static Trace once("once");
	return once.name[0];
}

int main()
{
	for (int kind = 0; kind <= 15; kind++)
		outer(kind);
	nested();
	function_try();
	from_destructor_of_temporary(true);
	from_destructor_of_temporary(false);
	printf("%d %d\n", loops(), quiet());
	casts();
	printf("%d %d\n", counter(), counter());
	return 0;
}
