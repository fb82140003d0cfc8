; A stack pointer is restored that lies above the top by then, as clean-up behind a longjmp does.
; What is made afterwards is a new object; returns what lies in it.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)

define i32 @main(i32 %argc, ptr %argv) {
  %low = call ptr @llvm.stacksave.p0()
  %n = zext i32 %argc to i64
  %first = alloca i8, i64 %n
  store volatile i8 1, ptr %first
  %high = call ptr @llvm.stacksave.p0()
  call void @llvm.stackrestore.p0(ptr %low)
  call void @llvm.stackrestore.p0(ptr %high)
  %second = alloca i32, i64 %n
  store volatile i32 7, ptr %second
  %result = load volatile i32, ptr %second
  ret i32 %result
}
