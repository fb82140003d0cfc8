/* The compiler's helper functions for complex products and quotients. */
#define MUL(name, T) \
T _Complex name(T a, T b, T c, T d) \
{ \
	T _Complex z; \
	__real__ z = a*c - b*d; \
	__imag__ z = a*d + b*c; \
	return z; \
}
#define DIV(name, T) \
T _Complex name(T a, T b, T c, T d) \
{ \
	T norm = c*c + d*d; \
	T _Complex z; \
	__real__ z = (a*c + b*d) / norm; \
	__imag__ z = (b*c - a*d) / norm; \
	return z; \
}
MUL(__mulsc3, float)
MUL(__muldc3, double)
MUL(__mulxc3, long double)
DIV(__divsc3, float)
DIV(__divdc3, double)
DIV(__divxc3, long double)
