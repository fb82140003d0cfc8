; query 1
; answered: unknown (canceled)
(set-logic QF_ABVFP)
(declare-const s0_0 (_ BitVec 8)) ; x_0 byte 0
(declare-const s0_1 (_ BitVec 8)) ; x_0 byte 1
(declare-const s0_2 (_ BitVec 8)) ; x_0 byte 2
(declare-const s0_3 (_ BitVec 8)) ; x_0 byte 3
(declare-const s0_4 (_ BitVec 8)) ; x_0 byte 4
(declare-const s0_5 (_ BitVec 8)) ; x_0 byte 5
(declare-const s0_6 (_ BitVec 8)) ; x_0 byte 6
(declare-const s0_7 (_ BitVec 8)) ; x_0 byte 7
(declare-const s1_0 (_ BitVec 8)) ; y_0 byte 0
(declare-const s1_1 (_ BitVec 8)) ; y_0 byte 1
(declare-const s1_2 (_ BitVec 8)) ; y_0 byte 2
(declare-const s1_3 (_ BitVec 8)) ; y_0 byte 3
(declare-const s1_4 (_ BitVec 8)) ; y_0 byte 4
(declare-const s1_5 (_ BitVec 8)) ; y_0 byte 5
(declare-const s1_6 (_ BitVec 8)) ; y_0 byte 6
(declare-const s1_7 (_ BitVec 8)) ; y_0 byte 7
(define-fun e33 () (_ BitVec 64) (_ bv4618441417868443648 64))
(define-fun e10 () (_ BitVec 8) s1_0)
(define-fun e11 () (_ BitVec 8) s1_1)
(define-fun e25 () (_ BitVec 16) (concat e11 e10))
(define-fun e12 () (_ BitVec 8) s1_2)
(define-fun e26 () (_ BitVec 24) (concat e12 e25))
(define-fun e13 () (_ BitVec 8) s1_3)
(define-fun e27 () (_ BitVec 32) (concat e13 e26))
(define-fun e14 () (_ BitVec 8) s1_4)
(define-fun e28 () (_ BitVec 40) (concat e14 e27))
(define-fun e15 () (_ BitVec 8) s1_5)
(define-fun e29 () (_ BitVec 48) (concat e15 e28))
(define-fun e16 () (_ BitVec 8) s1_6)
(define-fun e30 () (_ BitVec 56) (concat e16 e29))
(define-fun e17 () (_ BitVec 8) s1_7)
(define-fun e31 () (_ BitVec 64) (concat e17 e30))
(define-fun e2 () (_ BitVec 8) s0_0)
(define-fun e3 () (_ BitVec 8) s0_1)
(define-fun e18 () (_ BitVec 16) (concat e3 e2))
(define-fun e4 () (_ BitVec 8) s0_2)
(define-fun e19 () (_ BitVec 24) (concat e4 e18))
(define-fun e5 () (_ BitVec 8) s0_3)
(define-fun e20 () (_ BitVec 32) (concat e5 e19))
(define-fun e6 () (_ BitVec 8) s0_4)
(define-fun e21 () (_ BitVec 40) (concat e6 e20))
(define-fun e7 () (_ BitVec 8) s0_5)
(define-fun e22 () (_ BitVec 48) (concat e7 e21))
(define-fun e8 () (_ BitVec 8) s0_6)
(define-fun e23 () (_ BitVec 56) (concat e8 e22))
(define-fun e9 () (_ BitVec 8) s0_7)
(define-fun e24 () (_ BitVec 64) (concat e9 e23))
(define-fun f32 () (_ FloatingPoint 11 53) (fp.mul RNE ((_ to_fp 11 53) e24) ((_ to_fp 11 53) e31)))
(declare-const e32 (_ BitVec 64))
(assert (ite (fp.isNaN f32) (= e32 (ite (fp.isNaN ((_ to_fp 11 53) e24)) (bvor e24 (_ bv2251799813685248 64)) (ite (fp.isNaN ((_ to_fp 11 53) e31)) (bvor e31 (_ bv2251799813685248 64)) (_ bv18444492273895866368 64)))) (= f32 ((_ to_fp 11 53) e32))))
(define-fun e34 () (_ BitVec 1) (ite (fp.eq f32 ((_ to_fp 11 53) e33)) #b1 #b0))
(assert (= e34 #b1))
(check-sat)
(reset)
; query 2
; answered: sat
(set-logic QF_ABVFP)
(declare-const s0_0 (_ BitVec 8)) ; x_0 byte 0
(declare-const s0_1 (_ BitVec 8)) ; x_0 byte 1
(declare-const s0_2 (_ BitVec 8)) ; x_0 byte 2
(declare-const s0_3 (_ BitVec 8)) ; x_0 byte 3
(declare-const s0_4 (_ BitVec 8)) ; x_0 byte 4
(declare-const s0_5 (_ BitVec 8)) ; x_0 byte 5
(declare-const s0_6 (_ BitVec 8)) ; x_0 byte 6
(declare-const s0_7 (_ BitVec 8)) ; x_0 byte 7
(declare-const s1_0 (_ BitVec 8)) ; y_0 byte 0
(declare-const s1_1 (_ BitVec 8)) ; y_0 byte 1
(declare-const s1_2 (_ BitVec 8)) ; y_0 byte 2
(declare-const s1_3 (_ BitVec 8)) ; y_0 byte 3
(declare-const s1_4 (_ BitVec 8)) ; y_0 byte 4
(declare-const s1_5 (_ BitVec 8)) ; y_0 byte 5
(declare-const s1_6 (_ BitVec 8)) ; y_0 byte 6
(declare-const s1_7 (_ BitVec 8)) ; y_0 byte 7
(define-fun e33 () (_ BitVec 64) (_ bv4591870180066957722 64))
(define-fun e10 () (_ BitVec 8) s1_0)
(define-fun e11 () (_ BitVec 8) s1_1)
(define-fun e25 () (_ BitVec 16) (concat e11 e10))
(define-fun e12 () (_ BitVec 8) s1_2)
(define-fun e26 () (_ BitVec 24) (concat e12 e25))
(define-fun e13 () (_ BitVec 8) s1_3)
(define-fun e27 () (_ BitVec 32) (concat e13 e26))
(define-fun e14 () (_ BitVec 8) s1_4)
(define-fun e28 () (_ BitVec 40) (concat e14 e27))
(define-fun e15 () (_ BitVec 8) s1_5)
(define-fun e29 () (_ BitVec 48) (concat e15 e28))
(define-fun e16 () (_ BitVec 8) s1_6)
(define-fun e30 () (_ BitVec 56) (concat e16 e29))
(define-fun e17 () (_ BitVec 8) s1_7)
(define-fun e31 () (_ BitVec 64) (concat e17 e30))
(define-fun e2 () (_ BitVec 8) s0_0)
(define-fun e3 () (_ BitVec 8) s0_1)
(define-fun e18 () (_ BitVec 16) (concat e3 e2))
(define-fun e4 () (_ BitVec 8) s0_2)
(define-fun e19 () (_ BitVec 24) (concat e4 e18))
(define-fun e5 () (_ BitVec 8) s0_3)
(define-fun e20 () (_ BitVec 32) (concat e5 e19))
(define-fun e6 () (_ BitVec 8) s0_4)
(define-fun e21 () (_ BitVec 40) (concat e6 e20))
(define-fun e7 () (_ BitVec 8) s0_5)
(define-fun e22 () (_ BitVec 48) (concat e7 e21))
(define-fun e8 () (_ BitVec 8) s0_6)
(define-fun e23 () (_ BitVec 56) (concat e8 e22))
(define-fun e9 () (_ BitVec 8) s0_7)
(define-fun e24 () (_ BitVec 64) (concat e9 e23))
(define-fun f32 () (_ FloatingPoint 11 53) (fp.add RNE ((_ to_fp 11 53) e24) ((_ to_fp 11 53) e31)))
(declare-const e32 (_ BitVec 64))
(assert (ite (fp.isNaN f32) (= e32 (ite (fp.isNaN ((_ to_fp 11 53) e24)) (bvor e24 (_ bv2251799813685248 64)) (ite (fp.isNaN ((_ to_fp 11 53) e31)) (bvor e31 (_ bv2251799813685248 64)) (_ bv18444492273895866368 64)))) (= f32 ((_ to_fp 11 53) e32))))
(define-fun e34 () (_ BitVec 1) (ite (fp.eq f32 ((_ to_fp 11 53) e33)) #b1 #b0))
(assert (= e34 #b1))
(check-sat)
(reset)
; query 3
; answered: unknown (canceled)
(set-logic QF_ABVFP)
(declare-const s0_0 (_ BitVec 8)) ; x_0 byte 0
(declare-const s0_1 (_ BitVec 8)) ; x_0 byte 1
(declare-const s0_2 (_ BitVec 8)) ; x_0 byte 2
(declare-const s0_3 (_ BitVec 8)) ; x_0 byte 3
(declare-const s0_4 (_ BitVec 8)) ; x_0 byte 4
(declare-const s0_5 (_ BitVec 8)) ; x_0 byte 5
(declare-const s0_6 (_ BitVec 8)) ; x_0 byte 6
(declare-const s0_7 (_ BitVec 8)) ; x_0 byte 7
(declare-const s1_0 (_ BitVec 8)) ; y_0 byte 0
(declare-const s1_1 (_ BitVec 8)) ; y_0 byte 1
(declare-const s1_2 (_ BitVec 8)) ; y_0 byte 2
(declare-const s1_3 (_ BitVec 8)) ; y_0 byte 3
(declare-const s1_4 (_ BitVec 8)) ; y_0 byte 4
(declare-const s1_5 (_ BitVec 8)) ; y_0 byte 5
(declare-const s1_6 (_ BitVec 8)) ; y_0 byte 6
(declare-const s1_7 (_ BitVec 8)) ; y_0 byte 7
(define-fun e35 () (_ BitVec 64) (_ bv4607182418800017408 64))
(define-fun e10 () (_ BitVec 8) s1_0)
(define-fun e11 () (_ BitVec 8) s1_1)
(define-fun e25 () (_ BitVec 16) (concat e11 e10))
(define-fun e12 () (_ BitVec 8) s1_2)
(define-fun e26 () (_ BitVec 24) (concat e12 e25))
(define-fun e13 () (_ BitVec 8) s1_3)
(define-fun e27 () (_ BitVec 32) (concat e13 e26))
(define-fun e14 () (_ BitVec 8) s1_4)
(define-fun e28 () (_ BitVec 40) (concat e14 e27))
(define-fun e15 () (_ BitVec 8) s1_5)
(define-fun e29 () (_ BitVec 48) (concat e15 e28))
(define-fun e16 () (_ BitVec 8) s1_6)
(define-fun e30 () (_ BitVec 56) (concat e16 e29))
(define-fun e17 () (_ BitVec 8) s1_7)
(define-fun e31 () (_ BitVec 64) (concat e17 e30))
(define-fun f32 () (_ FloatingPoint 11 53) (fp.mul RNE ((_ to_fp 11 53) e31) ((_ to_fp 11 53) e31)))
(declare-const e32 (_ BitVec 64))
(assert (ite (fp.isNaN f32) (= e32 (ite (fp.isNaN ((_ to_fp 11 53) e31)) (bvor e31 (_ bv2251799813685248 64)) (ite (fp.isNaN ((_ to_fp 11 53) e31)) (bvor e31 (_ bv2251799813685248 64)) (_ bv18444492273895866368 64)))) (= f32 ((_ to_fp 11 53) e32))))
(define-fun e2 () (_ BitVec 8) s0_0)
(define-fun e3 () (_ BitVec 8) s0_1)
(define-fun e18 () (_ BitVec 16) (concat e3 e2))
(define-fun e4 () (_ BitVec 8) s0_2)
(define-fun e19 () (_ BitVec 24) (concat e4 e18))
(define-fun e5 () (_ BitVec 8) s0_3)
(define-fun e20 () (_ BitVec 32) (concat e5 e19))
(define-fun e6 () (_ BitVec 8) s0_4)
(define-fun e21 () (_ BitVec 40) (concat e6 e20))
(define-fun e7 () (_ BitVec 8) s0_5)
(define-fun e22 () (_ BitVec 48) (concat e7 e21))
(define-fun e8 () (_ BitVec 8) s0_6)
(define-fun e23 () (_ BitVec 56) (concat e8 e22))
(define-fun e9 () (_ BitVec 8) s0_7)
(define-fun e24 () (_ BitVec 64) (concat e9 e23))
(define-fun f33 () (_ FloatingPoint 11 53) (fp.mul RNE ((_ to_fp 11 53) e24) ((_ to_fp 11 53) e24)))
(declare-const e33 (_ BitVec 64))
(assert (ite (fp.isNaN f33) (= e33 (ite (fp.isNaN ((_ to_fp 11 53) e24)) (bvor e24 (_ bv2251799813685248 64)) (ite (fp.isNaN ((_ to_fp 11 53) e24)) (bvor e24 (_ bv2251799813685248 64)) (_ bv18444492273895866368 64)))) (= f33 ((_ to_fp 11 53) e33))))
(define-fun f34 () (_ FloatingPoint 11 53) (fp.add RNE f33 f32))
(declare-const e34 (_ BitVec 64))
(assert (ite (fp.isNaN f34) (= e34 (ite (fp.isNaN f33) (bvor e33 (_ bv2251799813685248 64)) (ite (fp.isNaN f32) (bvor e32 (_ bv2251799813685248 64)) (_ bv18444492273895866368 64)))) (= f34 ((_ to_fp 11 53) e34))))
(define-fun e36 () (_ BitVec 1) (ite (fp.lt f34 ((_ to_fp 11 53) e35)) #b1 #b0))
(define-fun e37 () (_ BitVec 1) (bvnot e36))
(assert (= e37 #b1))
(check-sat)
(reset)
; query 4
; answered: unknown (canceled)
(set-logic QF_ABVFP)
(declare-const s0_0 (_ BitVec 8)) ; x_0 byte 0
(declare-const s0_1 (_ BitVec 8)) ; x_0 byte 1
(declare-const s0_2 (_ BitVec 8)) ; x_0 byte 2
(declare-const s0_3 (_ BitVec 8)) ; x_0 byte 3
(declare-const s0_4 (_ BitVec 8)) ; x_0 byte 4
(declare-const s0_5 (_ BitVec 8)) ; x_0 byte 5
(declare-const s0_6 (_ BitVec 8)) ; x_0 byte 6
(declare-const s0_7 (_ BitVec 8)) ; x_0 byte 7
(declare-const s1_0 (_ BitVec 8)) ; y_0 byte 0
(declare-const s1_1 (_ BitVec 8)) ; y_0 byte 1
(declare-const s1_2 (_ BitVec 8)) ; y_0 byte 2
(declare-const s1_3 (_ BitVec 8)) ; y_0 byte 3
(declare-const s1_4 (_ BitVec 8)) ; y_0 byte 4
(declare-const s1_5 (_ BitVec 8)) ; y_0 byte 5
(declare-const s1_6 (_ BitVec 8)) ; y_0 byte 6
(declare-const s1_7 (_ BitVec 8)) ; y_0 byte 7
(define-fun e33 () (_ BitVec 64) (_ bv4612811918334230528 64))
(define-fun e10 () (_ BitVec 8) s1_0)
(define-fun e11 () (_ BitVec 8) s1_1)
(define-fun e25 () (_ BitVec 16) (concat e11 e10))
(define-fun e12 () (_ BitVec 8) s1_2)
(define-fun e26 () (_ BitVec 24) (concat e12 e25))
(define-fun e13 () (_ BitVec 8) s1_3)
(define-fun e27 () (_ BitVec 32) (concat e13 e26))
(define-fun e14 () (_ BitVec 8) s1_4)
(define-fun e28 () (_ BitVec 40) (concat e14 e27))
(define-fun e15 () (_ BitVec 8) s1_5)
(define-fun e29 () (_ BitVec 48) (concat e15 e28))
(define-fun e16 () (_ BitVec 8) s1_6)
(define-fun e30 () (_ BitVec 56) (concat e16 e29))
(define-fun e17 () (_ BitVec 8) s1_7)
(define-fun e31 () (_ BitVec 64) (concat e17 e30))
(define-fun e2 () (_ BitVec 8) s0_0)
(define-fun e3 () (_ BitVec 8) s0_1)
(define-fun e18 () (_ BitVec 16) (concat e3 e2))
(define-fun e4 () (_ BitVec 8) s0_2)
(define-fun e19 () (_ BitVec 24) (concat e4 e18))
(define-fun e5 () (_ BitVec 8) s0_3)
(define-fun e20 () (_ BitVec 32) (concat e5 e19))
(define-fun e6 () (_ BitVec 8) s0_4)
(define-fun e21 () (_ BitVec 40) (concat e6 e20))
(define-fun e7 () (_ BitVec 8) s0_5)
(define-fun e22 () (_ BitVec 48) (concat e7 e21))
(define-fun e8 () (_ BitVec 8) s0_6)
(define-fun e23 () (_ BitVec 56) (concat e8 e22))
(define-fun e9 () (_ BitVec 8) s0_7)
(define-fun e24 () (_ BitVec 64) (concat e9 e23))
(define-fun f32 () (_ FloatingPoint 11 53) (fp.div RNE ((_ to_fp 11 53) e24) ((_ to_fp 11 53) e31)))
(declare-const e32 (_ BitVec 64))
(assert (ite (fp.isNaN f32) (= e32 (ite (fp.isNaN ((_ to_fp 11 53) e24)) (bvor e24 (_ bv2251799813685248 64)) (ite (fp.isNaN ((_ to_fp 11 53) e31)) (bvor e31 (_ bv2251799813685248 64)) (_ bv18444492273895866368 64)))) (= f32 ((_ to_fp 11 53) e32))))
(define-fun e34 () (_ BitVec 1) (ite (fp.eq f32 ((_ to_fp 11 53) e33)) #b1 #b0))
(assert (= e34 #b1))
(check-sat)
(reset)
; query 5
; answered: unknown (canceled)
(set-logic QF_ABVFP)
(declare-const s0_0 (_ BitVec 8)) ; x_0 byte 0
(declare-const s0_1 (_ BitVec 8)) ; x_0 byte 1
(declare-const s0_2 (_ BitVec 8)) ; x_0 byte 2
(declare-const s0_3 (_ BitVec 8)) ; x_0 byte 3
(declare-const s0_4 (_ BitVec 8)) ; x_0 byte 4
(declare-const s0_5 (_ BitVec 8)) ; x_0 byte 5
(declare-const s0_6 (_ BitVec 8)) ; x_0 byte 6
(declare-const s0_7 (_ BitVec 8)) ; x_0 byte 7
(declare-const s1_0 (_ BitVec 8)) ; y_0 byte 0
(declare-const s1_1 (_ BitVec 8)) ; y_0 byte 1
(declare-const s1_2 (_ BitVec 8)) ; y_0 byte 2
(declare-const s1_3 (_ BitVec 8)) ; y_0 byte 3
(declare-const s1_4 (_ BitVec 8)) ; y_0 byte 4
(declare-const s1_5 (_ BitVec 8)) ; y_0 byte 5
(declare-const s1_6 (_ BitVec 8)) ; y_0 byte 6
(declare-const s1_7 (_ BitVec 8)) ; y_0 byte 7
(define-fun e10 () (_ BitVec 8) s1_0)
(define-fun e11 () (_ BitVec 8) s1_1)
(define-fun e25 () (_ BitVec 16) (concat e11 e10))
(define-fun e12 () (_ BitVec 8) s1_2)
(define-fun e26 () (_ BitVec 24) (concat e12 e25))
(define-fun e13 () (_ BitVec 8) s1_3)
(define-fun e27 () (_ BitVec 32) (concat e13 e26))
(define-fun e14 () (_ BitVec 8) s1_4)
(define-fun e28 () (_ BitVec 40) (concat e14 e27))
(define-fun e15 () (_ BitVec 8) s1_5)
(define-fun e29 () (_ BitVec 48) (concat e15 e28))
(define-fun e16 () (_ BitVec 8) s1_6)
(define-fun e30 () (_ BitVec 56) (concat e16 e29))
(define-fun e17 () (_ BitVec 8) s1_7)
(define-fun e31 () (_ BitVec 64) (concat e17 e30))
(define-fun e43 () (_ BitVec 64) (_ bv0 64))
(define-fun e47 () (_ BitVec 1) (ite (fp.lt ((_ to_fp 11 53) e43) ((_ to_fp 11 53) e31)) #b1 #b0))
(define-fun e48 () (_ BitVec 1) (bvnot e47))
(define-fun e2 () (_ BitVec 8) s0_0)
(define-fun e3 () (_ BitVec 8) s0_1)
(define-fun e18 () (_ BitVec 16) (concat e3 e2))
(define-fun e4 () (_ BitVec 8) s0_2)
(define-fun e19 () (_ BitVec 24) (concat e4 e18))
(define-fun e5 () (_ BitVec 8) s0_3)
(define-fun e20 () (_ BitVec 32) (concat e5 e19))
(define-fun e6 () (_ BitVec 8) s0_4)
(define-fun e21 () (_ BitVec 40) (concat e6 e20))
(define-fun e7 () (_ BitVec 8) s0_5)
(define-fun e22 () (_ BitVec 48) (concat e7 e21))
(define-fun e8 () (_ BitVec 8) s0_6)
(define-fun e23 () (_ BitVec 56) (concat e8 e22))
(define-fun e9 () (_ BitVec 8) s0_7)
(define-fun e24 () (_ BitVec 64) (concat e9 e23))
(define-fun e44 () (_ BitVec 1) (ite (fp.lt ((_ to_fp 11 53) e43) ((_ to_fp 11 53) e24)) #b1 #b0))
(define-fun e45 () (_ BitVec 1) (bvnot e44))
(define-fun e36 () (_ BitVec 64) (_ bv4620693217682128896 64))
(define-fun e40 () (_ BitVec 1) (ite (fp.lt ((_ to_fp 11 53) e31) ((_ to_fp 11 53) e36)) #b1 #b0))
(define-fun e41 () (_ BitVec 1) (bvnot e40))
(define-fun e37 () (_ BitVec 1) (ite (fp.lt ((_ to_fp 11 53) e24) ((_ to_fp 11 53) e36)) #b1 #b0))
(define-fun e38 () (_ BitVec 1) (bvnot e37))
(define-fun f32 () (_ FloatingPoint 11 53) (fp.mul RNE ((_ to_fp 11 53) e24) ((_ to_fp 11 53) e31)))
(declare-const e32 (_ BitVec 64))
(assert (ite (fp.isNaN f32) (= e32 (ite (fp.isNaN ((_ to_fp 11 53) e24)) (bvor e24 (_ bv2251799813685248 64)) (ite (fp.isNaN ((_ to_fp 11 53) e31)) (bvor e31 (_ bv2251799813685248 64)) (_ bv18444492273895866368 64)))) (= f32 ((_ to_fp 11 53) e32))))
(define-fun e33 () (_ BitVec 64) (_ bv4636737291354636288 64))
(define-fun e34 () (_ BitVec 1) (ite (fp.lt ((_ to_fp 11 53) e33) f32) #b1 #b0))
(define-fun e35 () (_ BitVec 1) (bvnot e34))
(define-fun e39 () (_ BitVec 1) (bvor e35 e38))
(define-fun e42 () (_ BitVec 1) (bvor e39 e41))
(define-fun e46 () (_ BitVec 1) (bvor e42 e45))
(define-fun e49 () (_ BitVec 1) (bvor e46 e48))
(define-fun e50 () (_ BitVec 1) (bvnot e49))
(assert (= e50 #b1))
(check-sat)
(reset)
