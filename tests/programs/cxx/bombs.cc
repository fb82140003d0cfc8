// A trigger behind each container and each rule of the language that decides it, after the programs in
// C++ of the logic bombs of Xu et al. The first argument chooses one, the second is the input; the
// trigger ends the program with exit code 3.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <queue>
#include <stack>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

enum { QUIET = 0, BOMB = 3 };

static int triggers(bool holds)
{
	if (holds) {
		puts("triggered");
		exit(BOMB);
	}
	return QUIET;
}

// A vector that is read where the input says.
static int through_vector(const char *input)
{
	std::vector<int> v{7, 1, 6, 2, 5, 3, 4};
	return triggers(v.at(input[0] % 7u) == 5 && v[input[1] % 7u] == 2);
}

// Keys and values of maps.
static int through_maps(const char *input)
{
	std::map<char, int> m;
	for (int i = 0; i < 8; i++)
		m['a' + i] = i * i;
	auto found = m.find(input[0]);
	std::unordered_map<int, char> back{{9, 'x'}, {25, 'y'}, {49, 'z'}};
	auto value = found == m.end() ? back.end() : back.find(found->second);
	return triggers(value != back.end() && value->second == 'y');
}

// A list that the input has made.
static int through_list(const char *input)
{
	std::list<int> l;
	for (const char *at = input; *at; at++)
		*at % 2 ? l.push_back(*at) : l.push_front(*at);
	return triggers(l.size() == 3 && l.front() == 'b' && l.back() == 'c' && *std::next(l.begin()) == 'a');
}

static int through_string(const char *input)
{
	std::string s = "<";
	s += input;
	s += ">";
	return triggers(s.find("no") == 1 && s.substr(3) == "w>");
}

// What is pushed is popped in the other order, what is queued in the same.
static int through_stack_and_queue(const char *input)
{
	std::stack<char> stack;
	std::queue<char> queue;
	for (const char *at = input; *at; at++) {
		stack.push(*at);
		queue.push(*at + 1);
	}
	std::string seen;
	for (; !stack.empty(); stack.pop(), queue.pop()) {
		seen += stack.top();
		seen += queue.front();
	}
	return triggers(seen == "3324");
}

// Constructors and destructors decide.
static int level;
struct Guarded {
	char value;
	explicit Guarded(char value) : value(value) { level += value; }
	~Guarded() { level -= value == '%' ? 2 * value : value; }
};
static int through_lifetime(const char *input)
{
	{
		Guarded first(input[0]), second(input[1]);
		Guarded third(first);
		level += third.value == second.value ? third.value : 0;
	}
	return triggers(level == -3 * '%');
}

// An exception that only one input causes.
static int through_exception(const char *input)
{
	try {
		int number = std::stoi(input);
		std::vector<int> v(60);
		return v.at(number - 20);
	} catch (const std::out_of_range &) {
		return triggers(input[0] == '9' && input[1] == '1');
	} catch (const std::invalid_argument &) {
		return QUIET;
	}
}

int main(int argc, char **argv)
{
	if (argc < 3 || strlen(argv[2]) < 2)
		return QUIET;
	const char *input = argv[2];
	switch (argv[1][0]) {
	case 'v': return through_vector(input);
	case 'm': return through_maps(input);
	case 'l': return through_list(input);
	case 's': return through_string(input);
	case 'q': return through_stack_and_queue(input);
	case 'c': return through_lifetime(input);
	case 'e': return through_exception(input);
	}
	return QUIET;
}
