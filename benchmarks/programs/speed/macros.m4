divert(-1) Concrete m4: loops, recursion, arithmetic and formatting in macros.
define(`forloop', `pushdef(`$1', `$2')_forloop($@)popdef(`$1')')
define(`_forloop', `$4`'ifelse($1, `$3', `', `define(`$1', incr($1))$0($@)')')
define(`fact', `ifelse($1, 0, 1, `eval($1 * fact(decr($1)))')')
define(`fib', `ifelse(eval($1 < 2), 1, $1, `eval(fib(decr($1)) + fib(eval($1 - 2)))')')
divert(0)dnl
forloop(`i', 1, 400, `line i: format(`%5d|%08x|%s', i, eval(i * 2654435), translit(substr(`abcdefghijklmnopqrstuvwxyz', eval(i % 20), 6), `a-z', `A-Z')) index(`the quick brown fox', `fox') len(`i')
')dnl
fact(10) fib(13)
