/* The generators of drand48's family with a state of the caller's. */
#include <stdint.h>
#include <string.h>

struct drand48_data {
	unsigned short x[3], old_x[3], c, init;
	unsigned long long a;
};

static uint64_t step(unsigned short x[3], struct drand48_data *data)
{
	if (!data->init) {
		data->a = 0x5deece66d;
		data->c = 0xb;
		data->init = 1;
	}
	uint64_t value = (uint64_t)x[2] << 32 | (uint64_t)x[1] << 16 | x[0];
	value = value * data->a + data->c;
	x[0] = value;
	x[1] = value >> 16;
	x[2] = value >> 32;
	return value & 0xffffffffffff;
}

int erand48_r(unsigned short x[3], struct drand48_data *data, double *result)
{ *result = step(x, data) * 0x1p-48; return 0; }
int nrand48_r(unsigned short x[3], struct drand48_data *data, long *result)
{ *result = step(x, data) >> 17; return 0; }
int jrand48_r(unsigned short x[3], struct drand48_data *data, long *result)
{ *result = (int32_t)(step(x, data) >> 16); return 0; }
int drand48_r(struct drand48_data *data, double *result) { return erand48_r(data->x, data, result); }
int lrand48_r(struct drand48_data *data, long *result) { return nrand48_r(data->x, data, result); }
int mrand48_r(struct drand48_data *data, long *result) { return jrand48_r(data->x, data, result); }

int srand48_r(long seed, struct drand48_data *data)
{
	data->x[0] = 0x330e;
	data->x[1] = seed;
	data->x[2] = seed >> 16;
	data->a = 0x5deece66d;
	data->c = 0xb;
	data->init = 1;
	return 0;
}

int seed48_r(unsigned short x[3], struct drand48_data *data)
{
	memcpy(data->old_x, data->x, sizeof data->x);
	memcpy(data->x, x, sizeof data->x);
	data->a = 0x5deece66d;
	data->c = 0xb;
	data->init = 1;
	return 0;
}

int lcong48_r(unsigned short parameters[7], struct drand48_data *data)
{
	memcpy(data->x, parameters, sizeof data->x);
	data->a = (uint64_t)parameters[5] << 32 | (uint64_t)parameters[4] << 16 | parameters[3];
	data->c = parameters[6];
	data->init = 1;
	return 0;
}
