/* The handlers that a program in C++ sets. That of its end is called by the executor; that of
 * operator new, which is the executor's, before std::bad_alloc is thrown. */

extern "C" [[noreturn]] void __plat_abort(const char *message);

namespace std {

typedef void (*terminate_handler)();
typedef void (*new_handler)();

static terminate_handler at_end;
static new_handler at_new;

static void end() { __plat_abort("terminate called"); }

terminate_handler get_terminate() noexcept { return at_end ? at_end : end; }
terminate_handler set_terminate(terminate_handler next) noexcept
{
	terminate_handler last = get_terminate();
	at_end = next;
	return last;
}

new_handler get_new_handler() noexcept { return at_new; }
new_handler set_new_handler(new_handler next) noexcept
{
	new_handler last = at_new;
	at_new = next;
	return last;
}

} // namespace std

extern "C" void __plat_call_terminate_handler()
{
	if (!std::at_end || std::at_end == std::end)
		return;
	std::at_end();
	__plat_abort("the handler of std::terminate returned");
}
