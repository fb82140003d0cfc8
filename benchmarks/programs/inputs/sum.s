	.file "sum.c"
	.text
	.globl	sum
	.type	sum, @function
sum:
	xorl	%eax, %eax
	testl	%esi, %esi
	jle	.L2
.L3:
	addl	(%rdi), %eax
	addq	$4, %rdi
	decl	%esi
	jne	.L3
.L2:
	ret
	.size	sum, .-sum
	.data
table:	.long 1, 2, 3
	.quad sum, table+4
	.asciz "text"
.macro twice x
	\x
	\x
.endm
	.text
	twice nop
	twice "vaddps %ymm1, %ymm2, %ymm3"
	call sum@PLT
