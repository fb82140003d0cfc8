; Shifts by too much in the forms that compilers leave them in: %n is the amount, of 32 bits.
target triple = "x86_64-pc-linux-gnu"

@name = private constant [6 x i8] c"input\00"
@sink = global i32 0
@pair = global [2 x i32] zeroinitializer

declare void @klee_make_symbolic(ptr, i64, ptr)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.vector.reduce.add.v2i32(<2 x i32>)
declare void @llvm.masked.store.v2i32.p0(<2 x i32>, ptr, <2 x i1>)

; Its test comes behind it: no fault.
define i32 @selected(i32 %n) {
  %shifted = shl i32 1, %n
  %more = add i32 %shifted, 3
  %least = call i32 @llvm.umin.i32(i32 %more, i32 100)
  %inside = icmp ult i32 %n, 32
  %result = select i1 %inside, i32 %least, i32 0
  ret i32 %result
}

; The test lets too much pass: a fault from 32 to 39.
define i32 @selected_wrongly(i32 %n) {
  %shifted = lshr i32 1000, %n
  %inside = icmp ult i32 %n, 40
  %result = select i1 %inside, i32 %shifted, i32 0
  ret i32 %result
}

; Ahead of the branch that guards its use: no fault.
define i32 @hoisted(i32 %n) {
  %shifted = ashr i32 -5, %n
  %inside = icmp ult i32 %n, 32
  br i1 %inside, label %use, label %done
use:
  store i32 %shifted, ptr @sink
  br label %done
done:
  ret i32 0
}

; Carried through a loop and used behind it: a fault from 32 on.
define i32 @carried(i32 %n) {
entry:
  %shifted = shl i32 2, %n
  br label %loop
loop:
  %count = phi i32 [ 0, %entry ], [ %next, %loop ]
  %value = phi i32 [ %shifted, %entry ], [ %sum, %loop ]
  %sum = add i32 %value, 1
  %next = add i32 %count, 1
  %more = icmp ult i32 %next, 3
  br i1 %more, label %loop, label %done
done:
  store i32 %sum, ptr @sink
  ret i32 0
}

; The loop drops it: no fault.
define i32 @dropped(i32 %n) {
entry:
  %shifted = shl i32 2, %n
  br label %loop
loop:
  %value = phi i32 [ %shifted, %entry ], [ 7, %loop ]
  %again = phi i1 [ true, %entry ], [ false, %loop ]
  br i1 %again, label %loop, label %done
done:
  store i32 %value, ptr @sink
  ret i32 0
}

; Any value will do: no fault.
define i32 @frozen(i32 %n) {
  %shifted = shl i32 1, %n
  %any = freeze i32 %shifted
  store i32 %any, ptr @sink
  ret i32 0
}

; It decides: a fault from 32 on.
define i32 @decides(i32 %n) {
  %shifted = shl i32 1, %n
  %large = icmp ugt i32 %shifted, 1000
  br i1 %large, label %yes, label %no
yes:
  ret i32 1
no:
  ret i32 0
}

; One lane fails, the other is used: no fault.
define i32 @other_lane(i32 %n) {
  %amounts = insertelement <2 x i32> <i32 1, i32 1>, i32 %n, i64 1
  %shifted = shl <2 x i32> <i32 1, i32 1>, %amounts
  %turned = shufflevector <2 x i32> %shifted, <2 x i32> %shifted, <2 x i32> <i32 1, i32 0>
  %straight = extractelement <2 x i32> %shifted, i64 0
  %swapped = extractelement <2 x i32> %turned, i64 1
  %sum = add i32 %straight, %swapped
  store i32 %sum, ptr @sink
  ret i32 0
}

; The lane that fails is used: a fault from 32 on.
define i32 @this_lane(i32 %n) {
  %amounts = insertelement <2 x i32> <i32 1, i32 1>, i32 %n, i64 1
  %shifted = shl <2 x i32> <i32 1, i32 1>, %amounts
  %taken = extractelement <2 x i32> %shifted, i64 1
  store i32 %taken, ptr @sink
  ret i32 0
}

; It is used from where it was moved to: a fault from 32 on.
define i32 @turned(i32 %n) {
  %amounts = insertelement <2 x i32> <i32 1, i32 1>, i32 %n, i64 1
  %shifted = shl <2 x i32> <i32 1, i32 1>, %amounts
  %turned = shufflevector <2 x i32> %shifted, <2 x i32> %shifted, <2 x i32> <i32 3, i32 0>
  %taken = extractelement <2 x i32> %turned, i64 0
  store i32 %taken, ptr @sink
  ret i32 0
}

; The lane's test lets too much pass: a fault from 32 to 39.
define i32 @lane_selected_wrongly(i32 %n) {
  %amounts = insertelement <2 x i32> <i32 1, i32 1>, i32 %n, i64 1
  %shifted = shl <2 x i32> <i32 1, i32 1>, %amounts
  %inside = icmp ult <2 x i32> %amounts, <i32 32, i32 40>
  %result = select <2 x i1> %inside, <2 x i32> %shifted, <2 x i32> zeroinitializer
  %taken = extractelement <2 x i32> %result, i64 1
  store i32 %taken, ptr @sink
  ret i32 0
}

; The lane's test does not: no fault.
define i32 @lane_selected(i32 %n) {
  %amounts = insertelement <2 x i32> <i32 1, i32 1>, i32 %n, i64 1
  %shifted = shl <2 x i32> <i32 1, i32 1>, %amounts
  %inside = icmp ult <2 x i32> %amounts, <i32 1, i32 32>
  %result = select <2 x i1> %inside, <2 x i32> %shifted, <2 x i32> zeroinitializer
  %taken = extractelement <2 x i32> %result, i64 1
  store i32 %taken, ptr @sink
  ret i32 0
}

; All lanes are used: a fault from 32 on.
define i32 @reduced(i32 %n) {
  %amounts = insertelement <2 x i32> <i32 1, i32 1>, i32 %n, i64 1
  %shifted = shl <2 x i32> <i32 1, i32 1>, %amounts
  %sum = call i32 @llvm.vector.reduce.add.v2i32(<2 x i32> %shifted)
  store i32 %sum, ptr @sink
  ret i32 0
}

; Half of the other lane: no fault.
define i32 @half_of_other(i32 %n) {
  %amounts = insertelement <2 x i32> <i32 1, i32 1>, i32 %n, i64 1
  %shifted = shl <2 x i32> <i32 1, i32 1>, %amounts
  %halves = bitcast <2 x i32> %shifted to <4 x i16>
  %half = extractelement <4 x i16> %halves, i64 1
  store i16 %half, ptr @sink
  ret i32 0
}

; Half of this lane: a fault from 32 on.
define i32 @half_of_this(i32 %n) {
  %amounts = insertelement <2 x i32> <i32 1, i32 1>, i32 %n, i64 1
  %shifted = shl <2 x i32> <i32 1, i32 1>, %amounts
  %halves = bitcast <2 x i32> %shifted to <4 x i16>
  %half = extractelement <4 x i16> %halves, i64 3
  store i16 %half, ptr @sink
  ret i32 0
}

; Stored where it has a value: no fault.
define i32 @masked(i32 %n) {
  %amounts = insertelement <2 x i32> <i32 1, i32 1>, i32 %n, i64 1
  %shifted = shl <2 x i32> <i32 1, i32 1>, %amounts
  %inside = icmp ult <2 x i32> %amounts, <i32 32, i32 32>
  call void @llvm.masked.store.v2i32.p0(<2 x i32> %shifted, ptr align 4 @pair, <2 x i1> %inside)
  ret i32 0
}

; Stored where it may have none: a fault from 32 to 39.
define i32 @masked_wrongly(i32 %n) {
  %amounts = insertelement <2 x i32> <i32 1, i32 1>, i32 %n, i64 1
  %shifted = shl <2 x i32> <i32 1, i32 1>, %amounts
  %inside = icmp ult <2 x i32> %amounts, <i32 32, i32 40>
  call void @llvm.masked.store.v2i32.p0(<2 x i32> %shifted, ptr align 4 @pair, <2 x i1> %inside)
  ret i32 0
}

; Any value of the lane will do: no fault.
define i32 @frozen_lane(i32 %n) {
  %amounts = insertelement <2 x i32> <i32 1, i32 1>, i32 %n, i64 1
  %shifted = shl <2 x i32> <i32 1, i32 1>, %amounts
  %any = freeze <2 x i32> %shifted
  %taken = extractelement <2 x i32> %any, i64 1
  store i32 %taken, ptr @sink
  ret i32 0
}

; Another value takes its place: no fault.
define i32 @replaced(i32 %n) {
  %amounts = insertelement <2 x i32> <i32 1, i32 1>, i32 %n, i64 1
  %shifted = shl <2 x i32> <i32 1, i32 1>, %amounts
  %other = insertelement <2 x i32> %shifted, i32 5, i64 1
  %taken = extractelement <2 x i32> %other, i64 1
  store i32 %taken, ptr @sink
  ret i32 0
}

; The lane depends on the input: a fault for odd amounts from 33 on.
define i32 @by_number(i32 %n) {
  %amounts = insertelement <2 x i32> <i32 1, i32 1>, i32 %n, i64 1
  %shifted = shl <2 x i32> <i32 1, i32 1>, %amounts
  %odd = and i32 %n, 1
  %taken = extractelement <2 x i32> %shifted, i32 %odd
  store i32 %taken, ptr @sink
  ret i32 0
}

define i32 @main() {
  %input = alloca [2 x i8]
  call void @klee_make_symbolic(ptr %input, i64 2, ptr @name)
  %way = load i8, ptr %input
  %at = getelementptr i8, ptr %input, i64 1
  %byte = load i8, ptr %at
  %n = zext i8 %byte to i32
  switch i8 %way, label %end [ i8 0, label %w0 i8 1, label %w1 i8 2, label %w2 i8 3, label %w3
                               i8 4, label %w4 i8 5, label %w5 i8 6, label %w6 i8 7, label %w7
                              i8 8, label %w8 i8 9, label %w9 i8 10, label %w10 i8 11, label %w11
                              i8 12, label %w12 i8 13, label %w13 i8 14, label %w14 i8 15, label %w15
                              i8 16, label %w16 i8 17, label %w17 i8 18, label %w18 i8 19, label %w19 ]
w0:
  %r0 = call i32 @selected(i32 %n)
  br label %end
w1:
  %r1 = call i32 @selected_wrongly(i32 %n)
  br label %end
w2:
  %r2 = call i32 @hoisted(i32 %n)
  br label %end
w3:
  %r3 = call i32 @carried(i32 %n)
  br label %end
w4:
  %r4 = call i32 @dropped(i32 %n)
  br label %end
w5:
  %r5 = call i32 @frozen(i32 %n)
  br label %end
w6:
  %r6 = call i32 @decides(i32 %n)
  br label %end
w7:
  %r7 = call i32 @other_lane(i32 %n)
  br label %end
w8:
  %r8 = call i32 @this_lane(i32 %n)
  br label %end
w9:
  %r9 = call i32 @turned(i32 %n)
  br label %end
w10:
  %r10 = call i32 @lane_selected_wrongly(i32 %n)
  br label %end
w11:
  %r11 = call i32 @lane_selected(i32 %n)
  br label %end
w12:
  %r12 = call i32 @reduced(i32 %n)
  br label %end
w13:
  %r13 = call i32 @half_of_other(i32 %n)
  br label %end
w14:
  %r14 = call i32 @half_of_this(i32 %n)
  br label %end
w15:
  %r15 = call i32 @masked(i32 %n)
  br label %end
w16:
  %r16 = call i32 @masked_wrongly(i32 %n)
  br label %end
w17:
  %r17 = call i32 @frozen_lane(i32 %n)
  br label %end
w18:
  %r18 = call i32 @replaced(i32 %n)
  br label %end
w19:
  %r19 = call i32 @by_number(i32 %n)
  br label %end
end:
  ret i32 0
}
