;; Frees every offset there may be, live, freed, in the middle of blocks and wild ones,
;; its input too, again and again: nothing may come of it.
;; expect: check_permissions ok
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (local $i i64)
    (call $free (call $input_offset))
    (if (i64.ne (call $input_length) (i64.const 0)) (then (return (i32.const 8))))
    (loop $more
      (call $free (local.get $i))
      (call $free (i64.sub (i64.const 0) (local.get $i)))
      (call $free (i64.shl (local.get $i) (i64.const 32)))
      (local.set $i (i64.add (local.get $i) (i64.const 1)))
      (br_if $more (i64.lt_u (local.get $i) (i64.const 20000))))
    (call $answer (i32.const 512))))
