/* fabs and sqrt as LLVM intrinsics, which are exact by definition. */
double fabs(double x) { return __builtin_fabs(x); }
float fabsf(float x) { return __builtin_fabsf(x); }
long double fabsl(long double x) { return __builtin_fabsl(x); }
double sqrt(double x) { return __builtin_sqrt(x); }
float sqrtf(float x) { return __builtin_sqrtf(x); }
long double sqrtl(long double x) { return __builtin_sqrtl(x); }
