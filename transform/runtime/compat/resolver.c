/* The resolver under the names that the system's <resolv.h> gives it, and with a state of the caller's. No
 * file says which name servers there are, and none answers. */
#include <resolv.h>
#include <string.h>

int __res_ninit(res_state state)
{
	memset(state, 0, sizeof *state);
	state->retrans = RES_TIMEOUT;
	state->retry = RES_DFLRETRY;
	state->options = RES_RECURSE | RES_DEFNAMES | RES_DNSRCH | RES_INIT;
	state->ndots = 1;
	return 0;
}

int __res_init(void) { return __res_ninit(&_res); }
void __res_nclose(res_state state) { }
void __res_close(void) { }

int res_nquery(res_state state, const char *name, int class, int type, unsigned char *answer, int size)
{
	return res_query(name, class, type, answer, size);
}

int res_nsearch(res_state state, const char *name, int class, int type, unsigned char *answer, int size)
{
	return res_search(name, class, type, answer, size);
}

int res_nsend(res_state state, const unsigned char *query, int query_size, unsigned char *answer, int size)
{
	return res_send(query, query_size, answer, size);
}
