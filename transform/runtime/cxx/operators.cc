/* The operators new and delete that the standard makes of others, for programs that have one of
 * these of their own; else all of them are the executor's. */

typedef decltype(sizeof 0) size_t;
namespace std {
struct nothrow_t {};
enum class align_val_t : size_t {};
}
using std::align_val_t;
using std::nothrow_t;

void *operator new[](size_t size) { return operator new(size); }
void *operator new[](size_t size, align_val_t align) { return operator new(size, align); }

#define QUIET(form, parameters, arguments)                              \
	void *operator form(parameters, const nothrow_t &) noexcept     \
	{                                                               \
		try {                                                   \
			return operator form(arguments);                \
		} catch (...) {                                         \
			return nullptr;                                 \
		}                                                       \
	}
#define BOTH(first, second) first, second
QUIET(new, size_t size, size)
QUIET(new[], size_t size, size)
QUIET(new, BOTH(size_t size, align_val_t align), BOTH(size, align))
QUIET(new[], BOTH(size_t size, align_val_t align), BOTH(size, align))

void operator delete(void *block, size_t) noexcept { operator delete(block); }
void operator delete(void *block, const nothrow_t &) noexcept { operator delete(block); }
void operator delete(void *block, size_t, align_val_t align) noexcept { operator delete(block, align); }
void operator delete(void *block, align_val_t align, const nothrow_t &) noexcept { operator delete(block, align); }
void operator delete[](void *block) noexcept { operator delete(block); }
void operator delete[](void *block, size_t) noexcept { operator delete[](block); }
void operator delete[](void *block, const nothrow_t &) noexcept { operator delete[](block); }
void operator delete[](void *block, align_val_t align) noexcept { operator delete(block, align); }
void operator delete[](void *block, size_t, align_val_t align) noexcept { operator delete[](block, align); }
void operator delete[](void *block, align_val_t align, const nothrow_t &) noexcept { operator delete[](block, align); }
