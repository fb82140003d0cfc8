// Streams and the formatting of numbers: what is printed is compared with a native run.
#include <bitset>
#include <charconv>
#include <chrono>
#include <complex>
#include <cstdio>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

static void numbers()
{
	std::cout << 42 << ' ' << -7L << ' ' << 3000000000u << ' ' << true << ' ' << 'c' << ' ' << 1.5f << '\n';
	std::cout << std::hex << std::showbase << 255 << ' ' << std::oct << 8 << std::dec << std::noshowbase << ' '
		  << std::boolalpha << false << ' ' << std::setw(8) << std::setfill('*') << 12 << ' ' << std::left
		  << std::setw(6) << "ab" << '|' << std::right << std::showpos << 5 << std::noshowpos << '\n';
	std::cout << 3.14159265 << ' ' << std::fixed << std::setprecision(3) << 2.0 / 3 << ' ' << std::scientific
		  << 12345.678 << ' ' << std::defaultfloat << std::setprecision(12) << 0.1 << ' ' << 1e100 << '\n';
	std::cout << std::bitset<10>(37) << ' ' << std::complex<double>(1, -2) << '\n';
}

static void text()
{
	std::istringstream in("12 word 3.5 0x1f\nthe rest of it\n");
	int i = 0;
	double d = 0;
	std::string word, line, rest;
	in >> i >> word >> d >> line;
	std::getline(in, rest);
	std::getline(in, rest);
	std::cout << i << word << d << line << '[' << rest << ']' << in.eof() << '\n';
	std::istringstream bad("x1");
	bad >> i;
	std::cout << i << bad.fail() << '\n';
	std::stringstream both;
	both << std::quoted("say \"hi\"") << ' ' << std::setw(4) << 7;
	std::cout << both.str() << ' ' << both.tellp() << '\n';
	std::istringstream list("1 2 3 4");
	std::vector<int> all{std::istream_iterator<int>(list), {}};
	std::copy(all.rbegin(), all.rend(), std::ostream_iterator<int>(std::cout, ","));
	std::cout << '\n';
}

static void conversions()
{
	char room[64];
	auto end = std::to_chars(room, room + sizeof room, 123456789).ptr;
	std::cout << std::string(room, end) << ' ';
	end = std::to_chars(room, room + sizeof room, 0.1).ptr;
	std::cout << std::string(room, end) << ' ';
	end = std::to_chars(room, room + sizeof room, 255, 16).ptr;
	std::cout << std::string(room, end) << ' ';
	int value = 0;
	std::string text = "77up";
	auto result = std::from_chars(text.data(), text.data() + text.size(), value);
	std::cout << value << *result.ptr << '\n';
}

static void others()
{
	std::mt19937 engine(1234);
	std::cout << engine() << ' ' << engine() << ' ' << std::minstd_rand(7)() << '\n';
	using namespace std::chrono;
	std::cout << duration_cast<seconds>(minutes(3) + milliseconds(2500)).count() << '\n';
	std::cerr << "to the other stream\n";
}

static void input()
{
	std::string word, line;
	int number = 0;
	std::cin >> word >> number;
	std::getline(std::cin >> std::ws, line);
	std::cout << word << ' ' << number + 1 << ' ' << line << ' ';
	std::cout << std::getline(std::cin, line).eof() << '\n';
}

int main()
{
	numbers();
	text();
	conversions();
	others();
	input();
	std::printf("%s\n", "and printf in between");
	std::cout << "last" << std::endl;
}
