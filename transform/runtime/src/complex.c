/* The compiler's helper functions for complex products and quotients, with the infinities of
 * annex G of the C standard: a result without a number is recomputed if an operand is infinite.
 * The results are those of the library that compilers link natively, to the last bit. */
#define COPY_SIGN __builtin_copysign
#define UNIT(x) COPY_SIGN(__builtin_isinf(x) ? 1.0 : 0.0, x)
#define ZERO_IF_NAN(x) ((x) != (x) ? COPY_SIGN(0.0, x) : (x))
#define FINITE(x) __builtin_isfinite(x)
#define INFINITE(x) __builtin_isinf(x)

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

/* What a quotient without a number is, by annex G: Z of (A + iB) / (C + iD). */
#define RECOVER(z, a, b, c, d) \
	if (__real__ z != __real__ z && __imag__ z != __imag__ z) { \
		if (c == 0 && d == 0 && (a == a || b == b)) { \
			__real__ z = COPY_SIGN(__builtin_inf(), c) * a; \
			__imag__ z = COPY_SIGN(__builtin_inf(), c) * b; \
		} else if ((INFINITE(a) || INFINITE(b)) && FINITE(c) && FINITE(d)) { \
			a = UNIT(a), b = UNIT(b); \
			__real__ z = __builtin_inf() * (a * c + b * d); \
			__imag__ z = __builtin_inf() * (b * c - a * d); \
		} else if ((INFINITE(c) || INFINITE(d)) && FINITE(a) && FINITE(b)) { \
			c = UNIT(c), d = UNIT(d); \
			__real__ z = 0.0 * (a * c + b * d); \
			__imag__ z = 0.0 * (b * c - a * d); \
		} \
	}

/* In double precision nothing leaves the range. */
float _Complex __divsc3(float a, float b, float c, float d)
{
	float _Complex z;
	double x = a, y = b, u = c, v = d, norm = u * u + v * v;
	__real__ z = (x * u + y * v) / norm;
	__imag__ z = (y * u - x * v) / norm;
	RECOVER(z, a, b, c, d)
	return z;
}

/* Smith's method, as the usual libraries have it: by the ratio of the divisor's parts, scaled where
 * a product could leave the range or lose bits. */
static inline double _Complex divide(double a, double b, double c, double d)
{
	const double large = __DBL_MAX__ / 2, tiny = __DBL_EPSILON__, safe = large * tiny;
	double one = __builtin_fabs(a), other = __builtin_fabs(b), greater = __builtin_fmax(__builtin_fabs(c), __builtin_fabs(d));
	double scale = 1;
	if (greater >= large) {
		scale = 0.5;
		one /= 2, other /= 2, greater /= 2;
	}
	if (greater < tiny || (greater < safe && ((one < __DBL_MIN__ && other < safe) || (other < __DBL_MIN__ && one < safe))))
		scale /= tiny;
	a *= scale, b *= scale, c *= scale, d *= scale;
	/* |u| >= |v| */
	int turned = __builtin_fabs(c) < __builtin_fabs(d);
	double p = turned ? b : a, q = turned ? a : b, u = turned ? d : c, v = turned ? c : d;
	double ratio = v / u, norm = v * ratio + u;
	int exact = __builtin_fabs(ratio) > __DBL_MIN__;
	double straight = exact ? q * ratio : v * (q / u), across = exact ? p * ratio : v * (p / u);
	double _Complex z;
	__real__ z = (p + straight) / norm;
	__imag__ z = (turned ? across - q : q - across) / norm;
	RECOVER(z, a, b, c, d)
	return z;
}

double _Complex __divdc3(double a, double b, double c, double d) { return divide(a, b, c, d); }
long double _Complex __divxc3(long double a, long double b, long double c, long double d) { return divide(a, b, c, d); }

MUL(__mulsc3, float)
MUL(__muldc3, double)
MUL(__mulxc3, long double)
