/* Values that plat and the machine must agree on, one line each. */
#ifndef SHOW_H
#define SHOW_H
void klee_print_expr(const char *name, ...);
#define SHOW(value) klee_print_expr(#value, (unsigned long)(value))
#endif
