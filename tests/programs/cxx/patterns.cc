// Regular expressions and std::format: what is printed is compared with a native run.
#include <format>
#include <iostream>
#include <regex>
#include <string>

int main()
{
	std::regex number("([a-z]+)=([0-9]{1,3})(;|$)");
	std::string text = "width=10;height=200;depth=x;";
	for (std::sregex_iterator at(text.begin(), text.end(), number), end; at != end; ++at)
		std::cout << at->position() << ' ' << (*at)[1] << ':' << (*at)[2] << '\n';
	std::cout << std::regex_replace(text, std::regex("=(\\w+)"), "<$1>") << '\n';
	std::cout << std::regex_match("Abc", std::regex("a.c", std::regex::icase)) << '\n';
	try {
		std::regex broken("(");
	} catch (const std::regex_error &e) {
		std::cout << (e.code() == std::regex_constants::error_paren) << '\n';
	}
	std::cout << std::format("{:>6}|{:<5}|{:+d}|{:#x}|{:.3f}|{}", "ab", 'c', 5, 255, 2.0 / 3, true) << '\n';
}
