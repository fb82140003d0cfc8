/* std::char_traits of types that are no characters, as in std::basic_string<unsigned char>. GNU's library
 * has it; libc++ had it until LLVM 19. Included before a source that does not compile without. */
#include <ios>
#include <string>

_LIBCPP_BEGIN_NAMESPACE_STD

template <class C>
struct char_traits {
	typedef C char_type;
	typedef unsigned long int_type;
	typedef streamoff off_type;
	typedef streampos pos_type;
	typedef mbstate_t state_type;

	static void assign(C &to, const C &from) { to = from; }
	static bool eq(const C &a, const C &b) { return a == b; }
	static bool lt(const C &a, const C &b) { return a < b; }
	static int compare(const C *a, const C *b, size_t n)
	{
		for (; n; --n, ++a, ++b)
			if (*a < *b || *b < *a)
				return *a < *b ? -1 : 1;
		return 0;
	}
	static size_t length(const C *s)
	{
		size_t n = 0;
		while (!(s[n] == C()))
			++n;
		return n;
	}
	static const C *find(const C *s, size_t n, const C &what)
	{
		for (; n; --n, ++s)
			if (*s == what)
				return s;
		return 0;
	}
	static C *move(C *to, const C *from, size_t n)
	{
		if (to < from)
			return copy(to, from, n);
		while (n--)
			to[n] = from[n];
		return to;
	}
	static C *copy(C *to, const C *from, size_t n)
	{
		for (size_t at = 0; at < n; ++at)
			to[at] = from[at];
		return to;
	}
	static C *assign(C *to, size_t n, C what)
	{
		for (size_t at = 0; at < n; ++at)
			to[at] = what;
		return to;
	}
	static int_type not_eof(int_type c) { return c == eof() ? 0 : c; }
	static C to_char_type(int_type c) { return C(c); }
	static int_type to_int_type(C c) { return int_type(c); }
	static bool eq_int_type(int_type a, int_type b) { return a == b; }
	static int_type eof() { return int_type(-1); }
};

_LIBCPP_END_NAMESPACE_STD
