;; Answers by the bits of not-a-numbers, which processors make differently: the sign and the
;; payload of 0/0 are nobody's promise. On one machine it must at least never change.
;; expect: check_permissions text
;; catalog: check_permissions refused
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $digit (param $at i32) (param $v i32)
    (i32.store8 (local.get $at) (i32.add (i32.const 65) (i32.and (local.get $v) (i32.const 15)))))
  (func $check_permissions (result i32)
    (local $z f32) (local $d f64) (local $b i32) (local $i i32)
    (local.set $z (f32.div (local.get $z) (local.get $z)))
    (local.set $d (f64.sqrt (f64.const -1)))
    (local.set $b (i32.xor (i32.reinterpret_f32 (f32.add (local.get $z) (f32.const nan:0x200001)))
                           (i32.wrap_i64 (i64.shr_u (i64.reinterpret_f64 (f64.add (local.get $d) (f64.promote_f32 (local.get $z)))) (i64.const 32)))))
    (loop $more
      (call $digit (i32.add (i32.const 1024) (local.get $i)) (i32.shr_u (local.get $b) (i32.mul (local.get $i) (i32.const 4))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $i) (i32.const 8))))
    (call $answer (i32.const 1024))))
