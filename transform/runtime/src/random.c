/* rand and random with the numbers that the system's library gives for a seed, so that a native run
 * of a test sees the same ones: an additive feedback generator over a table (types 1 to 4), or a
 * linear congruence (type 0, and rand_r). */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

/* As programs have it from their headers. */
struct random_data {
	int32_t *fptr, *rptr, *state;
	int rand_type, rand_deg, rand_sep;
	int32_t *end_ptr;
};

static const int degrees[] = {0, 7, 15, 31, 63};
static const int separations[] = {0, 3, 1, 3, 1};
static const int sizes[] = {8, 32, 64, 128, 256};

/* The numbers behind the first word, which says of what type they are. */
static int32_t table[32];
static struct random_data global;

static int wrong(void) { errno = EINVAL; return -1; }

int random_r(struct random_data *restrict data, int32_t *restrict result)
{
	if (!data || !result || !data->state) return wrong();
	int32_t *state = data->state;
	if (!data->rand_type) {
		*result = state[0] = ((uint32_t)state[0] * 1103515245u + 12345u) & 0x7fffffff;
		return 0;
	}
	uint32_t sum = (uint32_t)*data->fptr + (uint32_t)*data->rptr;
	*data->fptr = sum;
	*result = sum >> 1;
	if (++data->fptr >= data->end_ptr) data->fptr = state;
	if (++data->rptr >= data->end_ptr) data->rptr = state;
	return 0;
}

int srandom_r(unsigned seed, struct random_data *data)
{
	if (!data || !data->state) return wrong();
	int32_t word = seed ? seed : 1;
	data->state[0] = word;
	if (!data->rand_type) return 0;
	for (int i = 1; i < data->rand_deg; i++) {
		/* 16807 * word modulo 2^31 - 1 without overflow */
		long high = word / 127773, low = word % 127773, next = 16807 * low - 2836 * high;
		word = next < 0 ? next + 2147483647 : next;
		data->state[i] = word;
	}
	data->fptr = &data->state[data->rand_sep];
	data->rptr = data->state;
	for (int i = 0; i < 10 * data->rand_deg; i++) {
		int32_t dropped;
		random_r(data, &dropped);
	}
	return 0;
}

/* What a table says of itself, so that setstate can go on with it. */
static void remember(struct random_data *data)
{
	if (!data->state) return;
	data->state[-1] = data->rand_type ? 5 * (data->rptr - data->state) + data->rand_type : 0;
}

static void adopt(struct random_data *data, int type, int32_t *state)
{
	data->rand_type = type;
	data->rand_deg = degrees[type];
	data->rand_sep = separations[type];
	data->state = state;
	data->end_ptr = state + degrees[type];
}

int initstate_r(unsigned seed, char *restrict buffer, size_t size, struct random_data *restrict data)
{
	if (!data || size < 8) return wrong();
	int type = 4;
	while (size < sizes[type]) type--;
	remember(data);
	adopt(data, type, (int32_t *)buffer + 1);
	srandom_r(seed, data);
	remember(data);
	return 0;
}

int setstate_r(char *restrict buffer, struct random_data *restrict data)
{
	if (!data || !buffer) return wrong();
	int32_t *state = (int32_t *)buffer + 1;
	int type = state[-1] % 5, rear = state[-1] / 5;
	if (state[-1] < 0 || type > 4) return wrong();
	remember(data);
	adopt(data, type, state);
	if (type) {
		data->rptr = state + rear;
		data->fptr = state + (rear + separations[type]) % degrees[type];
	}
	return 0;
}

static struct random_data *known(void)
{
	if (!global.state) {
		adopt(&global, 3, table + 1);
		srandom_r(1, &global);
		remember(&global);
	}
	return &global;
}

long random(void)
{
	int32_t result;
	random_r(known(), &result);
	return result;
}

void srandom(unsigned seed) { srandom_r(seed, known()); }

char *initstate(unsigned seed, char *buffer, size_t size)
{
	char *before = (char *)(known()->state - 1);
	return initstate_r(seed, buffer, size, &global) ? 0 : before;
}

char *setstate(char *buffer)
{
	char *before = (char *)(known()->state - 1);
	return setstate_r(buffer, &global) ? 0 : before;
}

int rand(void) { return random(); }
void srand(unsigned seed) { srandom(seed); }

static unsigned step(unsigned *next, unsigned modulus)
{
	*next = *next * 1103515245u + 12345u;
	return *next / 65536 % modulus;
}

int rand_r(unsigned *seed)
{
	unsigned next = *seed, result = step(&next, 2048);
	result = result << 10 ^ step(&next, 1024);
	result = result << 10 ^ step(&next, 1024);
	*seed = next;
	return result;
}
