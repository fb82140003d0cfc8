/* toupper and tolower as tables that are read directly, which the system's
 * headers do in optimised code. What is no letter maps to itself, as in the
 * system's library; characters from -128 to -2 are those of 128 to 254. */
#include <stdint.h>

#define ROW(n) n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7
#define ROWS(n) ROW(n), ROW(n + 8), ROW(n + 16), ROW(n + 24)
#define LETTERS(a) ROW(a), ROW(a + 8), ROW(a + 16), a + 24, a + 25
#define BELOW_EOF ROWS(128), ROWS(160), ROWS(192), ROW(224), ROW(232), ROW(240), \
	248, 249, 250, 251, 252, 253, 254, -1
#define TABLE(upper, lower) { BELOW_EOF, ROWS(0), ROWS(32), \
	64, LETTERS(upper), 91, 92, 93, 94, 95, 96, LETTERS(lower), 123, 124, 125, 126, 127, \
	ROWS(128), ROWS(160), ROWS(192), ROWS(224) }

static const int32_t to_lower[384] = TABLE('a', 'a');
static const int32_t to_upper[384] = TABLE('A', 'A');
static const int32_t *const lower = to_lower + 128;
static const int32_t *const upper = to_upper + 128;

const int32_t **__ctype_tolower_loc(void) { return (void *)&lower; }
const int32_t **__ctype_toupper_loc(void) { return (void *)&upper; }
