; Tests for sets of characters as compilers leave them, with known characters: the shift is by too
; much where the select does not take it. The last number of a set is LAST - 1.
target triple = "x86_64-pc-linux-gnu"

define i32 @member(i32 %c) {
  %inside = icmp ult i32 %c, LAST
  %by = zext i32 %c to i58
  %shifted = lshr i58 -4227858433, %by
  %bit = trunc i58 %shifted to i1
  %member = select i1 %inside, i1 %bit, i1 false
  %result = zext i1 %member to i32
  ret i32 %result
}

define i32 @otherwise(i32 %c) {
  %outside = icmp uge i32 %c, LAST
  %by = zext i32 %c to i58
  %shifted = shl i58 3, %by
  %low = trunc i58 %shifted to i32
  %result = select i1 %outside, i32 7, i32 %low
  ret i32 %result
}

; Its condition is known behind it only.
define i32 @late(i32 %c) {
  %by = zext i32 %c to i58
  %shifted = ashr i58 -99, %by
  %low = trunc i58 %shifted to i32
  %inside = icmp ult i32 %c, LAST
  %result = select i1 %inside, i32 %low, i32 1
  ret i32 %result
}

define i32 @main() {
  br label %loop
loop:
  %c = phi i32 [ 0, %0 ], [ %next, %loop ]
  %sum = phi i32 [ 0, %0 ], [ %all, %loop ]
  %a = call i32 @member(i32 %c)
  %b = call i32 @otherwise(i32 %c)
  %d = call i32 @late(i32 %c)
  %ab = mul i32 %b, 5
  %abc = mul i32 %d, 11
  %scaled = mul i32 %sum, 3
  %s1 = add i32 %scaled, %a
  %s2 = add i32 %s1, %ab
  %all = add i32 %s2, %abc
  %next = add i32 %c, 1
  %more = icmp ult i32 %next, 90
  br i1 %more, label %loop, label %done
done:
  ret i32 %all
}
