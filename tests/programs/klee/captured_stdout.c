/* The same program without --sym-stdout: standard output is a pipe, on the only path.
 * options: --sym-files 1 2
 * tests: 1
 * exits: 3 */
#include "sym_stdout.c"
