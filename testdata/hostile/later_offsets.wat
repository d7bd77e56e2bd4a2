;; Looks at the offset of its first block, which tells how much others allocated.
;; Each call is the first one, so it never attacks.
;; expect: check_permissions ok
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $next (result i32)
    (local $o i64)
    (local.set $o (call $alloc (i64.const 8)))
    (drop (call $alloc (i64.const 100000)))
    (i32.mul (i32.const 9) (i64.gt_u (i64.sub (local.get $o) (call $input_offset)) (i64.add (call $input_length) (i64.const 64)))))
  (func $check_permissions (result i32)
    (if (i32.gt_u (call $next) (i32.const 3)) (then (loop $again (br $again))))
    (call $answer (i32.const 512))))
