;; Allows when the clock's second is even. The clock stands still, so it always says the same.
;; expect: check_permissions ok
(module
  (import "wasi_snapshot_preview1" "clock_time_get" (func $clock_time_get (param i32 i64 i32) (result i32)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (call $clock_time_get (i32.const 0) (i64.const 0) (i32.const 3000)))
    (if (i64.ne (i64.rem_u (i64.load (i32.const 3000)) (i64.const 2000000000)) (i64.const 0)) (then (return (call $answer (i32.const 544)))))
    (call $answer (i32.const 512))))
