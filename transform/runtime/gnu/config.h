/* What the configure scripts of sed and cpio would say of plat's C library, for the two parts of
 * gnulib that are built from them: regular expressions and argp. */
#include <stdbool.h>
#include <stddef.h>

#define HAVE_ALLOCA 1
#define HAVE_ALLOCA_H 1
#define HAVE_DECL_ISBLANK 1
#define HAVE_ISWCTYPE 1
#define HAVE_LIMITS_H 1
#define HAVE_WCTYPE_H 1
#define _REGEX_RE_COMP 1

#define _GL_ATTRIBUTE_FALLTHROUGH __attribute__((__fallthrough__))
#define _GL_ATTRIBUTE_FORMAT(spec) __attribute__((__format__ spec))
#define _GL_ATTRIBUTE_FORMAT_PRINTF(formatstring_parameter, first_argument) \
	__attribute__((__format__(__printf__, formatstring_parameter, first_argument)))
#define _GL_ATTRIBUTE_MAYBE_UNUSED __attribute__((__unused__))
#define _GL_ATTRIBUTE_NODISCARD
#define _GL_ATTRIBUTE_NONNULL(parameters)
#define _GL_ATTRIBUTE_PURE __attribute__((__pure__))
#define _GL_LIKELY(condition) (condition)
#define _GL_UNLIKELY(condition) (condition)
#define _GL_UNUSED
#define _GL_INLINE extern inline __attribute__((__gnu_inline__))
#define _GL_INLINE_HEADER_BEGIN
#define _GL_INLINE_HEADER_END

/* argp, over a getopt of its own */
#define DEFAULT_TEXT_DOMAIN "argp"
#define HAVE_ASPRINTF 1
#define HAVE_DECL_FEOF_UNLOCKED 1
#define HAVE_DECL_FPUTC_UNLOCKED 1
#define HAVE_DECL_FPUTS_UNLOCKED 1
#define HAVE_DECL_FWRITE_UNLOCKED 1
#define HAVE_DECL_PROGRAM_INVOCATION_NAME 1
#define HAVE_DECL_PROGRAM_INVOCATION_SHORT_NAME 1
#define HAVE_DECL_STRERROR_R 1
#define HAVE_DECL_FLOCKFILE 1
#define __getopt_argv_const const
#define GNULIB_ARGP_EXTERN_BASENAME 1
#define HAVE_FLOCKFILE 1
#define HAVE_MEMPCPY 1
#define HAVE_STRCHRNUL 1
#define HAVE_STRERROR_R 1
#define HAVE_STRNDUP 1
#define _GL_EXTERN_INLINE extern inline
#define _getopt_initialize_r __argp_getopt_initialize
#define _getopt_internal __argp_getopt_internal
#define _getopt_internal_r __argp_getopt_internal_r
#define _getopt_long_only_r __argp_getopt_long_only_r
#define _getopt_long_r __argp_getopt_long_r
#define __posix_getopt __argp_posix_getopt
#define getopt __argp_getopt
#define getopt_long __argp_getopt_long
#define getopt_long_only __argp_getopt_long_only
#define optarg __argp_optarg
#define opterr __argp_opterr
#define optind __argp_optind
#define optopt __argp_optopt
