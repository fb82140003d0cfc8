// The handlers of a program's end, and what only the library's tables know.
#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>

int main()
{
	std::set_terminate([] {
		try {
			std::rethrow_exception(std::current_exception());
		} catch (const std::exception &e) {
			std::cout << "ends by " << e.what() << std::endl;
		}
		std::_Exit(5);
	});
	throw std::domain_error("nobody");
}
