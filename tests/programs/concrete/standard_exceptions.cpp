/* What the language throws by itself, and classes derived from the standard's. */
typedef decltype(sizeof 0) size_t;
extern "C" int printf(const char *, ...);

namespace std {
struct nothrow_t {};
extern const nothrow_t nothrow;
enum class align_val_t : size_t {};
class exception {
public:
	exception() noexcept {}
	virtual ~exception() noexcept;
	virtual const char *what() const noexcept;
};
struct bad_alloc : exception {
	bad_alloc() noexcept {}
	~bad_alloc() noexcept override;
	const char *what() const noexcept override;
};
class type_info {
public:
	virtual ~type_info();
	const char *__name;
	const char *name() const { return __name; }
};
} // namespace std
void *operator new(size_t, const std::nothrow_t &) noexcept;
void *operator new(size_t, std::align_val_t);

struct Base { virtual ~Base() {} };
struct Derived : Base { int value = 1; };
struct Unrelated { virtual ~Unrelated() {} };
struct Own : std::exception {
	const char *what() const noexcept override { return "own"; }
};
struct Plain : std::exception {};

static volatile size_t huge = 1ul << 46;
static volatile long negative = -1;
static Base base;
/* What is kept here the compiler cannot leave out. */
static void *volatile kept;
static Base *volatile where = &base, *volatile nowhere;

static void raise(int kind)
{
	switch (kind) {
	case 0: kept = new char[huge]; break;
	case 1: kept = ::operator new(huge); break;
	case 2: kept = ::operator new(huge, std::align_val_t(64)); break;
	case 3: kept = new int[negative]; break;
	case 4: printf("%d", dynamic_cast<Derived &>(*where).value); break;
	case 5: printf("%s", typeid(*nowhere).name()); break;
	case 6: throw Own();
	case 7: throw Plain();
	case 8: printf("%d ", ::operator new(huge, std::nothrow) == nullptr); break;
	case 9: throw std::bad_alloc();
	}
}

int main()
{
	for (int kind = 0; kind < 10; kind++) {
		try {
			raise(kind);
			printf("nothing\n");
		} catch (std::bad_alloc &failed) {
			printf("memory: %s\n", failed.what());
		} catch (const std::exception &failed) {
			printf("%s\n", failed.what());
		}
		try {
			raise(kind);
		} catch (...) {
			printf("something\n");
		}
	}
	printf("%s %s %s\n", typeid(int).name(), typeid(const char *).name(), typeid(*where).name());
	return 0;
}
