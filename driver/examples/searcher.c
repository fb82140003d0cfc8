/* Returns how often its argument begins with an `a`. */
int main(int argc, char **argv) {
  int count = 0;
  while (argc == 2 && argv[1][count] == 'a')
    count++;
  return count;
}
