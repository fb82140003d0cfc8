/* <fenv.h>. The registers are the executor's: it knows the rounding mode, and which flags
 * operations on symbolic numbers may have raised, so that to set a mode or to clear a flag asks
 * for none. */
#include <fenv.h>
#include <signal.h>

#define WEAK __attribute__((__weak__))

void __plat_clear_float_flags(int flags);
int __plat_float_flags(int asked);
int __plat_x87_control(void);
void __plat_x87_set_control(int word);

/* Rounding modes by the numbers of FLT_ROUNDS. */
static const short modes[] = {FE_TOWARDZERO, FE_TONEAREST, FE_UPWARD, FE_DOWNWARD};

#define CONTROL 0x037f
#define MXCSR 0x1f80

int fegetround(void)
{
	return modes[__builtin_flt_rounds() & 3];
}

int fesetround(int mode)
{
	for (int i = 0; i < 4; i++)
		if (modes[i] == mode) {
			__builtin_set_flt_rounds(i);
			return 0;
		}
	return -1;
}

int fetestexcept(int flags)
{
	return __plat_float_flags(flags & FE_ALL_EXCEPT);
}

int feclearexcept(int flags)
{
	__plat_clear_float_flags(flags & FE_ALL_EXCEPT);
	return 0;
}

/* Sets flags without a trap. */
static void set(int flags)
{
	unsigned control = __builtin_ia32_stmxcsr();
	__builtin_ia32_ldmxcsr(control | (flags & FE_ALL_EXCEPT));
}

int feraiseexcept(int flags)
{
	flags &= FE_ALL_EXCEPT;
	set(flags);
	if (flags & ~__plat_x87_control())
		raise(SIGFPE);
	return 0;
}

int fegetexceptflag(fexcept_t *to, int flags)
{
	*to = fetestexcept(flags);
	return 0;
}

int fesetexceptflag(const fexcept_t *from, int flags)
{
	flags &= FE_ALL_EXCEPT;
	feclearexcept(flags);
	set(*from & flags);
	return 0;
}

int fegetenv(fenv_t *to)
{
	*to = (fenv_t){0};
	to->__mxcsr = __builtin_ia32_stmxcsr();
	to->__control_word = __plat_x87_control();
	to->__status_word = fetestexcept(FE_ALL_EXCEPT);
	return 0;
}

int fesetenv(const fenv_t *from)
{
	/* The default, and that with all traps. */
	unsigned control = CONTROL, mxcsr = MXCSR;
	if (from == (const fenv_t *)-2) {
		control = CONTROL & ~FE_ALL_EXCEPT;
		mxcsr = MXCSR & ~(FE_ALL_EXCEPT << 7);
	} else if (from != FE_DFL_ENV) {
		control = from->__control_word;
		mxcsr = from->__mxcsr | from->__status_word & FE_ALL_EXCEPT;
	}
	__plat_clear_float_flags(0x3f);
	__plat_x87_set_control(control);
	__builtin_ia32_ldmxcsr(mxcsr);
	return 0;
}

int feholdexcept(fenv_t *to)
{
	fegetenv(to);
	__plat_clear_float_flags(0x3f);
	__plat_x87_set_control(to->__control_word | 0x3f);
	__builtin_ia32_ldmxcsr((to->__mxcsr | MXCSR) & ~0x3f);
	return 0;
}

int feupdateenv(const fenv_t *from)
{
	int flags = fetestexcept(FE_ALL_EXCEPT);
	fesetenv(from);
	return feraiseexcept(flags);
}

/* Of the GNU library. */

WEAK int fegetexcept(void)
{
	return ~__plat_x87_control() & FE_ALL_EXCEPT;
}

WEAK int feenableexcept(int flags)
{
	int before = fegetexcept();
	flags &= FE_ALL_EXCEPT;
	__plat_x87_set_control(__plat_x87_control() & ~flags);
	__builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~(flags << 7));
	return before;
}

WEAK int fedisableexcept(int flags)
{
	int before = fegetexcept();
	flags &= FE_ALL_EXCEPT;
	__plat_x87_set_control(__plat_x87_control() | flags);
	__builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | flags << 7);
	return before;
}

typedef struct {
	unsigned short control, reserved;
	unsigned mxcsr;
} mode_t_;

WEAK int fegetmode(mode_t_ *to)
{
	to->control = __plat_x87_control();
	to->mxcsr = __builtin_ia32_stmxcsr();
	return 0;
}

WEAK int fesetmode(const mode_t_ *from)
{
	unsigned control = CONTROL, mxcsr = MXCSR;
	if (from != (const mode_t_ *)-1)
		control = from->control, mxcsr = from->mxcsr;
	__plat_x87_set_control(control);
	__builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & 0x3f | mxcsr & ~0x3f);
	return 0;
}
