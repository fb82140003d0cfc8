// Symbolic input through the library: streams, numbers, words, patterns and what is thrown. The first
// argument chooses a function, the second is the input.
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

static int found(bool holds)
{
	if (holds) {
		std::cout << "found" << std::endl;
		std::exit(3);
	}
	return 0;
}

namespace app {
struct Refused : std::runtime_error {
	explicit Refused(const std::string &what) : std::runtime_error("refused: " + what) {}
};
struct Shape {
	virtual ~Shape() = default;
	virtual int area() const = 0;
};
struct Square : Shape {
	int side;
	explicit Square(int side) : side(side) {}
	int area() const override { return side * side; }
};
struct Strip : Shape {
	int length;
	explicit Strip(int length) : length(length) {}
	int area() const override { return 100 / (length - 5); }
};
} // namespace app

// A map keyed by bytes of the input.
static int count(const std::string &input)
{
	std::map<char, int> counts;
	for (char c : input)
		++counts[c & 3];
	std::cout << counts.size() << '\n';
	return counts.size() == 1;
}

// A number in text, and the errors of what is none.
static int number(const std::string &input)
{
	try {
		int value = std::stoi(input);
		std::cout << "number " << value << '\n';
		return found(value == -7);
	} catch (const std::invalid_argument &e) {
		std::cout << e.what() << '\n';
		return 1;
	}
}

// Standard input, read by an extraction.
static int stream()
{
	int first = 0;
	std::string word;
	if (!(std::cin >> first >> word))
		return 1;
	std::cout << first + 1 << word << std::endl;
	return found(first == 5 && word == "x");
}

static int pattern(const std::string &input)
{
	static const std::regex wanted("[x-z]b*");
	return found(std::regex_match(input, wanted));
}

// An object of either class, of an owner or of a variant.
static int shapes(const std::string &input)
{
	std::vector<std::unique_ptr<app::Shape>> all;
	for (char c : input)
		if (c == 's')
			all.push_back(std::make_unique<app::Square>(3));
		else
			all.push_back(std::make_unique<app::Strip>(c - '0'));
	int sum = 0;
	for (const auto &shape : all)
		sum += shape->area();
	std::variant<int, std::string> either = input;
	if (sum == 9 * static_cast<int>(input.size()))
		either = sum;
	return static_cast<int>(either.index());
}

// Thrown and caught by nobody.
static int thrown(const std::string &input)
{
	std::optional<char> first;
	if (!input.empty())
		first = input[0];
	if (first == 'r')
		throw app::Refused(std::string(1, *first));
	if (first == 'i')
		throw 5;
	return *first == 't' ? std::vector<int>().at(0) : 0;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	std::string input = argc > 2 ? argv[2] : "";
	switch (argv[1][0]) {
	case 'c': return count(input);
	case 'n': return number(input);
	case 'i': return stream();
	case 'p': return pattern(input);
	case 's': return shapes(input);
	case 't': return thrown(input);
	}
	return 2;
}
