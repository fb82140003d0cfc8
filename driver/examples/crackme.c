/* Welcomes whoever has a key: two groups of letters whose sum is right. */
#include <stdio.h>
#include <string.h>

static int accepts(const char *key) {
  unsigned sum = 0;
  if (strlen(key) != 7 || key[3] != '-')
    return 0;
  for (int at = 0; at < 7; at++) {
    if (at == 3)
      continue;
    if (key[at] < 'A' || key[at] > 'Z')
      return 0;
    sum = sum * 31 + key[at];
  }
  return (key[0] ^ key[6]) == 9 && sum % 4093 == 1234;
}

int main(int argc, char **argv) {
  if (argc != 2 || !accepts(argv[1])) {
    puts("go away");
    return 1;
  }
  puts("welcome");
  return 0;
}
