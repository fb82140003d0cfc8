; Decisions on words that were never written, as optimised code makes them: which inputs make one
; depend on such a word?
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@name = private constant [3 x i8] c"in\00"
@table = private constant [4 x i8] c"\01\02\03\04"
declare void @klee_make_symbolic(ptr, i64, ptr)
declare ptr @malloc(i64)

; Both at once: matters above 100.
define i32 @both(i8 %a, ptr %p) {
  %u = load i8, ptr %p
  %large = icmp ugt i8 %a, 100
  %three = icmp eq i8 %u, 3
  %c = and i1 %large, %three
  br i1 %c, label %yes, label %no
yes:
  ret i32 1
no:
  ret i32 0
}

; Moved ahead by the compiler: never matters.
define i32 @frozen(i8 %a, ptr %p) {
  %u = load i8, ptr %p
  %f = freeze i8 %u
  %c = icmp eq i8 %f, %a
  br i1 %c, label %yes, label %no
yes:
  ret i32 0
no:
  ret i32 0
}

; Two bytes compared as one word: matters where the first is 5.
define i32 @merged(i8 %a, ptr %p) {
  %u = load i8, ptr %p
  %low = zext i8 %a to i16
  %wide = zext i8 %u to i16
  %high = shl i16 %wide, 8
  %word = or i16 %low, %high
  %c = icmp eq i16 %word, 1285
  br i1 %c, label %yes, label %no
yes:
  ret i32 1
no:
  ret i32 0
}

; An address: from 200 on.
define i32 @address(i8 %a, ptr %p) {
  %u = load i8, ptr %p
  %small = icmp ult i8 %a, 200
  %s = select i1 %small, i8 %a, i8 %u
  %i = and i8 %s, 3
  %at = zext i8 %i to i64
  %q = getelementptr i8, ptr @table, i64 %at
  %v = load i8, ptr %q
  %r = zext i8 %v to i32
  ret i32 %r
}

; A switch: below 50.
define i32 @switched(i8 %a, ptr %p) {
  %u = load i8, ptr %p
  %small = icmp ult i8 %a, 50
  %s = select i1 %small, i8 %u, i8 %a
  switch i8 %s, label %other [ i8 7, label %seven
                               i8 90, label %ninety ]
seven:
  ret i32 7
ninety:
  ret i32 90
other:
  ret i32 0
}

; What is compared is the same whatever was there: never.
define i32 @same(i8 %a, ptr %p) {
  %u = load i8, ptr %p
  %x = xor i8 %u, %a
  %y = xor i8 %x, %u
  %c = icmp ugt i8 %y, 9
  br i1 %c, label %yes, label %no
yes:
  ret i32 1
no:
  ret i32 0
}

define i32 @main() {
  %in = alloca [2 x i8]
  call void @klee_make_symbolic(ptr %in, i64 2, ptr @name)
  %way = load i8, ptr %in
  %second = getelementptr i8, ptr %in, i64 1
  %a = load i8, ptr %second
  %p = call ptr @malloc(i64 4)
  switch i8 %way, label %none [ i8 0, label %w0
                                i8 1, label %w1
                                i8 2, label %w2
                                i8 3, label %w3
                                i8 4, label %w4
                                i8 5, label %w5 ]
w0:
  %r0 = call i32 @both(i8 %a, ptr %p)
  ret i32 %r0
w1:
  %r1 = call i32 @frozen(i8 %a, ptr %p)
  ret i32 %r1
w2:
  %r2 = call i32 @merged(i8 %a, ptr %p)
  ret i32 %r2
w3:
  %r3 = call i32 @address(i8 %a, ptr %p)
  ret i32 %r3
w4:
  %r4 = call i32 @switched(i8 %a, ptr %p)
  ret i32 %r4
w5:
  %r5 = call i32 @same(i8 %a, ptr %p)
  ret i32 %r5
none:
  ret i32 0
}
