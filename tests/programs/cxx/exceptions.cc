// Exceptions in all their ways: what is printed is compared with a native run.
#include <exception>
#include <functional>
#include <future>
#include <iostream>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <typeinfo>
#include <variant>
#include <any>
#include <vector>
#include <mutex>

struct Trace {
	const char *name;
	explicit Trace(const char *name) : name(name) { std::cout << '+' << name << ' '; }
	~Trace() { std::cout << '-' << name << (std::uncaught_exceptions() ? "! " : " "); }
};

struct Own : std::runtime_error {
	int code;
	Own(int code) : std::runtime_error("own " + std::to_string(code)), code(code) {}
};
struct Left { virtual ~Left() = default; int l = 1; };
struct Both : Left, std::logic_error {
	Both() : std::logic_error("both") {}
};

static void thrower(int what)
{
	Trace trace("thrower");
	switch (what) {
	case 0: throw Own(7);
	case 1: throw std::out_of_range("range");
	case 2: throw Both();
	case 3: throw std::string("text");
	case 4: throw "literal";
	case 5: throw 42;
	case 6: std::vector<int>().at(3); break;
	case 7: std::stoi("none"); break;
	case 8: throw std::system_error(std::make_error_code(std::errc::no_such_file_or_directory), "file");
	}
}

static void middle(int what)
{
	Trace trace("middle");
	try {
		thrower(what);
	} catch (const Own &own) {
		std::cout << "own " << own.code << ' ';
		throw;
	} catch (const std::logic_error &) {
		std::throw_with_nested(std::runtime_error("nested"));
	}
}

static void tell(const std::exception &e, int depth = 0)
{
	std::cout << depth << ':' << e.what() << ' ';
	try {
		std::rethrow_if_nested(e);
	} catch (const std::exception &inner) {
		tell(inner, depth + 1);
	}
}

static void kept()
{
	std::exception_ptr first, second;
	try {
		throw Own(9);
	} catch (...) {
		first = std::current_exception();
		second = first;
	}
	for (int i = 0; i < 2; i++)
		try {
			std::rethrow_exception(first);
		} catch (Own &own) {
			std::cout << own.what() << own.code++ << (std::current_exception() == second) << ' ';
			try {
				std::rethrow_exception(second);
			} catch (const std::exception &again) {
				std::cout << again.what() << (&again == &own) << ' ';
			}
		}
	auto made = std::make_exception_ptr(std::invalid_argument("made"));
	try {
		std::rethrow_exception(made);
	} catch (const std::invalid_argument &e) {
		std::cout << e.what() << '\n';
	}
	std::promise<int> promise;
	auto future = promise.get_future();
	promise.set_exception(first);
	try {
		future.get();
	} catch (const Own &own) {
		std::cout << "future " << own.code << '\n';
	}
}

static char *volatile kept_memory;

static void values()
{
	std::optional<std::string> some = "some", none;
	std::variant<int, std::string, double> variant = "text";
	std::any any = 3.5;
	std::cout << *some << none.has_value() << none.value_or("none") << variant.index()
		  << std::get<std::string>(variant) << std::any_cast<double>(any) << '\n';
	auto attempt = [](const char *name, std::function<void()> f) {
		try {
			f();
		} catch (const std::exception &e) {
			std::cout << name << ' ' << e.what() << '\n';
		}
	};
	attempt("optional", [&] { (void)none.value(); });
	attempt("variant", [&] { (void)std::get<int>(variant); });
	attempt("any", [&] { (void)std::any_cast<int>(any); });
	attempt("function", [] { std::function<void()>()(); });
	attempt("cast", [] { Both both; (void)dynamic_cast<Both &>(static_cast<Left &>(both)); Left left; (void)dynamic_cast<Both &>(left); });
	attempt("new", [] { volatile long huge = 1L << 62; kept_memory = new char[huge]; });
	std::mutex mutex;
	std::once_flag once;
	for (int i = 0; i < 2; i++)
		std::call_once(once, [&] { std::lock_guard<std::mutex> lock(mutex); std::cout << "once\n"; });
}

int main()
{
	for (int what = 0; what <= 9; what++) {
		try {
			middle(what);
			std::cout << "nothing";
		} catch (const std::exception &e) {
			tell(e);
		} catch (const std::string &s) {
			std::cout << "string " << s;
		} catch (const char *s) {
			std::cout << "chars " << s;
		} catch (...) {
			std::cout << "other";
		}
		std::cout << '\n';
	}
	kept();
	values();
	std::cout << typeid(Own).name() << (typeid(Left) == typeid(Both)) << std::uncaught_exceptions() << '\n';
}
