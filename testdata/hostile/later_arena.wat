;; Looks in fresh host memory for what an earlier call left there, then leaves its mark.
;; Each call is the first one, so it never attacks.
;; expect: check_permissions ok
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $next (result i32)
    (local $o i64)
    (local.set $o (call $alloc (i64.const 65536)))
    (if (i64.ne (call $load_u64 (i64.add (local.get $o) (i64.const 4096))) (i64.const 0)) (then (return (i32.const 9))))
    (call $store_u64 (i64.add (local.get $o) (i64.const 4096)) (i64.const 4))
    (i32.const 0))
  (func $check_permissions (result i32)
    (if (i32.gt_u (call $next) (i32.const 3)) (then (loop $again (br $again))))
    (call $answer (i32.const 512))))
