/* Says what kind of word its argument is. */
#include <stdio.h>

static int classify(const char *word) {
  if (word[0] == '-')
    return word[1] == '-' ? 1 : 2;
  if (word[0] >= '0' && word[0] <= '9')
    return 3;
  return 4;
}

int main(int argc, char **argv) {
  static const char *const names[] = {"", "long option", "option", "number", "word"};
  if (argc != 2)
    return 1;
  puts(names[classify(argv[1])]);
  return 0;
}
