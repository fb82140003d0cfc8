/* What programs in C++ need of the C++ library for the language alone: the exceptions that
 * operators throw, with names and handlers, and the descriptions of types.
 *
 * The key functions stand here, and so the tables and descriptions do, too; with those of
 * __fundamental_type_info the compiler writes the descriptions of all fundamental types. */

namespace std {

class exception {
public:
	exception() noexcept;
	exception(const exception &) noexcept;
	virtual ~exception() noexcept;
	virtual const char *what() const noexcept;
};
exception::exception() noexcept {}
exception::exception(const exception &) noexcept {}
exception::~exception() noexcept {}
const char *exception::what() const noexcept { return "std::exception"; }

#define EXCEPTION(name, base)                                              \
	class name : public base {                                         \
	public:                                                            \
		name() noexcept;                                           \
		name(const name &) noexcept;                               \
		~name() noexcept override;                                 \
		const char *what() const noexcept override;                \
	};                                                                 \
	name::name() noexcept {}                                           \
	name::name(const name &other) noexcept : base(other) {}            \
	name::~name() noexcept {}                                          \
	const char *name::what() const noexcept { return "std::" #name; }

EXCEPTION(bad_exception, exception)
EXCEPTION(bad_alloc, exception)
EXCEPTION(bad_array_new_length, bad_alloc)
EXCEPTION(bad_cast, exception)
EXCEPTION(bad_typeid, exception)

struct nothrow_t {};
extern const nothrow_t nothrow;
const nothrow_t nothrow;

/* Only if the program sets one. */
[[gnu::weak]] void (*get_new_handler() noexcept)();

class type_info {
public:
	virtual ~type_info();
	const char *name;
};
type_info::~type_info() {}

} // namespace std

namespace __cxxabiv1 {

#define DESCRIPTION(name, base)              \
	class name : public base {           \
	public:                              \
		~name() override;            \
	};                                   \
	name::~name() {}

DESCRIPTION(__fundamental_type_info, std::type_info)
DESCRIPTION(__array_type_info, std::type_info)
DESCRIPTION(__function_type_info, std::type_info)
DESCRIPTION(__enum_type_info, std::type_info)
DESCRIPTION(__pbase_type_info, std::type_info)
DESCRIPTION(__pointer_type_info, __pbase_type_info)
DESCRIPTION(__pointer_to_member_type_info, __pbase_type_info)
DESCRIPTION(__class_type_info, std::type_info)
DESCRIPTION(__si_class_type_info, __class_type_info)
DESCRIPTION(__vmi_class_type_info, __class_type_info)

} // namespace __cxxabiv1

extern "C" {

/* For operator new, which is the executor's. A handler that frees memory and returns is not given a
 * second try. */
[[noreturn]] void __plat_throw_bad_alloc()
{
	if (std::get_new_handler)
		if (auto handler = std::get_new_handler())
			handler();
	throw std::bad_alloc();
}

[[noreturn]] void __cxa_bad_cast() { throw std::bad_cast(); }
[[noreturn]] void __cxa_bad_typeid() { throw std::bad_typeid(); }
[[noreturn]] void __cxa_throw_bad_array_new_length() { throw std::bad_array_new_length(); }

}
