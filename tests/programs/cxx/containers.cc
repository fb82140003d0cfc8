// Containers and algorithms, on data that are known: what is printed is compared with a native run.
#include <algorithm>
#include <array>
#include <deque>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <queue>
#include <set>
#include <stack>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct Counted {
	static int alive;
	int value;
	explicit Counted(int value) : value(value) { ++alive; }
	Counted(const Counted &other) : value(other.value) { ++alive; }
	~Counted() { --alive; }
};
int Counted::alive = 0;

static void sequences()
{
	std::vector<int> v{5, 1, 4};
	for (int i = 0; i < 20; i++)
		v.push_back(i * 7 % 11);
	std::sort(v.begin(), v.end(), std::greater<int>());
	v.erase(std::unique(v.begin(), v.end()), v.end());
	for (int x : v)
		std::cout << x << ' ';
	std::cout << "sum " << std::accumulate(v.begin(), v.end(), 0) << '\n';

	std::deque<std::string> d;
	for (int i = 0; i < 5; i++) {
		d.push_front("front" + std::to_string(i));
		d.push_back(std::string(i * 9, 'b'));
	}
	std::list<std::string> l(d.begin(), d.end());
	l.sort([](const auto &a, const auto &b) { return a.size() < b.size(); });
	l.remove_if([](const auto &s) { return s.empty(); });
	for (const auto &s : l)
		std::cout << s << ';';
	std::cout << l.size() << '\n';

	std::array<int, 4> a{3, 1, 2, 0};
	std::stable_sort(a.begin(), a.end());
	std::cout << std::binary_search(a.begin(), a.end(), 2) << a[3] << '\n';
}

static void maps()
{
	std::map<std::string, int> words;
	for (std::string_view text : {"one", "two", "three", "two", "one", "two"})
		++words[std::string(text)];
	for (const auto &[word, count] : words)
		std::cout << word << '=' << count << ' ';
	words.erase("two");
	std::cout << words.count("two") << words.lower_bound("p")->first << '\n';

	std::unordered_map<int, std::string> numbers;
	for (int i = 0; i < 100; i++)
		numbers[i * i] = std::to_string(i);
	std::cout << numbers.size() << ' ' << numbers.at(81) << ' ' << numbers.count(82) << '\n';

	std::set<char> letters;
	for (char c : std::string("the quick brown fox"))
		letters.insert(c);
	std::multiset<int> many{3, 1, 3, 2, 3};
	std::cout << std::string(letters.begin(), letters.end()) << many.count(3) << '\n';
}

static void adapters_and_owners()
{
	std::priority_queue<int> heap;
	std::stack<int> stack;
	std::queue<int> queue;
	for (int i : {4, 9, 2, 7}) {
		heap.push(i);
		stack.push(i);
		queue.push(i);
	}
	std::cout << heap.top() << stack.top() << queue.front() << '\n';
	{
		auto unique = std::make_unique<Counted>(1);
		auto shared = std::make_shared<Counted>(2);
		std::weak_ptr<Counted> weak = shared;
		std::vector<std::shared_ptr<Counted>> owners(3, shared);
		std::vector<Counted> values(4, Counted(3));
		std::cout << Counted::alive << ' ' << shared.use_count() << ' ' << weak.lock()->value << ' ';
		shared.reset();
		owners.clear();
		std::cout << weak.expired() << ' ';
	}
	std::cout << Counted::alive << '\n';
}

static void strings()
{
	std::string s = "a string that is longer than what fits in place";
	s.replace(2, 6, "text").insert(0, "[").append("]");
	std::cout << s << ' ' << s.find("longer") << ' ' << s.substr(3, 4) << ' ' << s.rfind('t') << '\n';
	std::cout << std::stoi("-42") + std::stol("0x1f", nullptr, 16) << ' ' << std::stod("2.5e3") << ' '
		  << std::to_string(3.25) << ' ' << (s < "b") << (std::string("x") == "x") << '\n';
	std::wstring wide = L"wide";
	std::cout << wide.size() << wide.find(L'd') << '\n';
}

int main()
{
	sequences();
	maps();
	adapters_and_owners();
	strings();
}
