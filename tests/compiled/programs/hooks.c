/* Programs that hooks watch, each a function of its own to begin with. */
void klee_make_symbolic(void *, unsigned long, const char *);
void *malloc(unsigned long);
void free(void *);
unsigned long strlen(const char *);
int outside(int);

int table[4] = {10, 20, 30, 40};
int spare[4] = {50, 60, 70, 80};
char text[8] = "s3cret";

__attribute__((noinline)) int twice(int value) {
    return value * 2;
}

__attribute__((noinline)) int thrice(int value) {
    return value * 3;
}

static unsigned char symbolic(void) {
    unsigned char byte;
    klee_make_symbolic(&byte, 1, "byte");
    return byte;
}

/* Calls, a branch. */
int branches(void) {
    unsigned char byte = symbolic();
    int result = twice(byte);
    if (byte > 100)
        return thrice(1); /* line: large */
    return result; /* line: small */
}

/* Writes, reads and frees, at known places. */
int accesses(void) {
    int *block = malloc(8);
    block[1] = 7;
    table[2] = block[1];
    free(block);
    return table[2];
}

/* A pointer to one of two objects. */
int chooses(void) {
    unsigned char byte = symbolic();
    int *from = byte & 1 ? table : spare;
    return from[byte & 2];
}

/* A call through a pointer. */
int calls_through_a_pointer(void) {
    int (*functions[2])(int) = {twice, thrice};
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += functions[i & 1](i);
    return sum;
}

/* Functions that plat carries out itself. */
int carried_out(void) {
    return (int)strlen(text) + (malloc(1) == 0);
}

/* A loop without input. */
int loops(void) {
    int sum = 0;
    for (int i = 0; i < 20; i++)
        sum += twice(i); /* line: loop */
    return sum;
}

/* Eight paths. */
int many(void) {
    unsigned char byte = symbolic();
    int bits = 0;
    if (byte & 1)
        bits = twice(bits) + 1;
    if (byte & 2)
        bits = twice(bits) + 1;
    if (byte & 4)
        bits = twice(bits) + 1;
    return bits;
}

/* A function that the program only declares. */
int calls_outside(void) {
    unsigned char byte = symbolic();
    return outside(byte);
}
