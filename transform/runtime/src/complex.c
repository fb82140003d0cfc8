/* The compiler's helper functions for complex products and quotients, with the infinities of
 * annex G of the C standard: a result without a number is recomputed if an operand is infinite. */
#define COPY_SIGN __builtin_copysign
#define UNIT(x) COPY_SIGN(__builtin_isinf(x) ? 1.0 : 0.0, x)
#define ZERO_IF_NAN(x) ((x) != (x) ? COPY_SIGN(0.0, x) : (x))
#define FINITE(x) __builtin_isfinite(x)
#define INFINITE(x) __builtin_isinf(x)

double logb(double);
double scalbn(double, int);

#define MUL(name, T) \
T _Complex name(T a, T b, T c, T d) \
{ \
	T _Complex z; \
	T ac = a * c, bd = b * d, ad = a * d, bc = b * c; \
	__real__ z = ac - bd; \
	__imag__ z = ad + bc; \
	if (__real__ z == __real__ z || __imag__ z == __imag__ z) \
		return z; \
	int again = 0; \
	if (INFINITE(a) || INFINITE(b)) { \
		a = UNIT(a), b = UNIT(b), c = ZERO_IF_NAN(c), d = ZERO_IF_NAN(d); \
		again = 1; \
	} \
	if (INFINITE(c) || INFINITE(d)) { \
		c = UNIT(c), d = UNIT(d), a = ZERO_IF_NAN(a), b = ZERO_IF_NAN(b); \
		again = 1; \
	} \
	if (!again && (INFINITE(ac) || INFINITE(bd) || INFINITE(ad) || INFINITE(bc))) { \
		a = ZERO_IF_NAN(a), b = ZERO_IF_NAN(b), c = ZERO_IF_NAN(c), d = ZERO_IF_NAN(d); \
		again = 1; \
	} \
	if (again) { \
		__real__ z = (T)__builtin_inf() * (a * c - b * d); \
		__imag__ z = (T)__builtin_inf() * (a * d + b * c); \
	} \
	return z; \
}

/* Both operands are scaled, so that neither the norm nor the products leave the range; the
 * quotient of each part is scaled back at the end. */
#define DIV(name, T) \
T _Complex name(T a, T b, T c, T d) \
{ \
	T _Complex z; \
	double x = a, y = b, u = c, v = d; \
	double below = logb(__builtin_fmax(__builtin_fabs(u), __builtin_fabs(v))); \
	double above = logb(__builtin_fmax(__builtin_fabs(x), __builtin_fabs(y))); \
	int down = 0, up = 0; \
	if (FINITE(below)) { \
		down = (int)below; \
		u = scalbn(u, -down), v = scalbn(v, -down); \
	} \
	if (FINITE(above)) { \
		up = (int)above; \
		x = scalbn(x, -up), y = scalbn(y, -up); \
	} \
	double norm = u * u + v * v; \
	__real__ z = scalbn((x * u + y * v) / norm, up - down); \
	__imag__ z = scalbn((y * u - x * v) / norm, up - down); \
	if (__real__ z == __real__ z || __imag__ z == __imag__ z) \
		return z; \
	if (norm == 0.0 && (x == x || y == y)) { \
		__real__ z = COPY_SIGN(__builtin_inf(), u) * x; \
		__imag__ z = COPY_SIGN(__builtin_inf(), u) * y; \
	} else if ((INFINITE(x) || INFINITE(y)) && FINITE(u) && FINITE(v)) { \
		x = UNIT(x), y = UNIT(y); \
		__real__ z = __builtin_inf() * (x * u + y * v); \
		__imag__ z = __builtin_inf() * (y * u - x * v); \
	} else if (INFINITE(below) && below > 0.0 && FINITE(x) && FINITE(y)) { \
		u = UNIT(u), v = UNIT(v); \
		__real__ z = 0.0 * (x * u + y * v); \
		__imag__ z = 0.0 * (y * u - x * v); \
	} \
	return z; \
}

MUL(__mulsc3, float)
MUL(__muldc3, double)
MUL(__mulxc3, long double)
DIV(__divsc3, float)
DIV(__divdc3, double)
DIV(__divxc3, long double)
