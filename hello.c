#include <stdio.h>
int main(int argc,char**argv){ printf("hello %d %s %.3f\n", argc, argv[0], 3.14159); return 3; }
