	.text
	.globl main
	.type main, @function
main:	pushq %rbp
	movq %rsp, %rbp
	movl $42, %eax
	leaq table(%rip), %rdx
	addl 4(%rdx,%rcx,8), %eax
1:	decl %ecx
	jnz 1b
	call other@PLT
	popq %rbp
	ret
	.size main, .-main
	.section .rodata
	.align 8
table:	.quad 1, 2, 3, main
	.string "text\n"
	.macro twice x
	.long \x, \x
	.endm
	twice 7
	.rept 3
	.byte 0x90
	.endr
