// Memory that is released by functions that do not go with its allocation. Natively all of them are the same.
#include <cstdlib>
#include <iostream>
#include <string>

struct Named {
	std::string name = "a name that is too long to be kept in the object itself";
	void end() { delete this; }
};

int main(int argc, char **argv)
{
	char *letters = new char[8]{};
	letters[0] = argv[1][0];
	std::cout << (letters[0] == 'x' ? "x" : "other") << '\n';
	if (letters[0] == 'x')
		delete letters;
	else
		free(letters);
	auto *named = new (malloc(sizeof(Named))) Named;
	std::cout << named->name << '\n';
	named->end();
	int *numbers = static_cast<int *>(malloc(12));
	numbers[2] = argc;
	std::cout << numbers[2] << '\n';
	delete[] numbers;
	return 3;
}
