/* Adds two elements, each behind a pointer that input chooses. */
#include <stdlib.h>

static int *numbers(int count) {
  int *made = malloc(sizeof *made);
  *made = count;
  return made;
}

int main(int argc, char **argv) {
  int *few[4], *many[16];
  for (int at = 0; at < 4; at++)
    few[at] = numbers(at);
  for (int at = 0; at < 16; at++)
    many[at] = numbers(at);
  unsigned char choice = argc == 2 ? (unsigned char)argv[1][0] : 0;
  return *few[choice & 3] + *many[choice >> 4] > 17;
}
