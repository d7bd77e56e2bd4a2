;; Waits for the clock to move, which it does not.
;; expect: check_permissions fuel
(module
  (import "wasi_snapshot_preview1" "clock_time_get" (func $clock_time_get (param i32 i64 i32) (result i32)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (loop $again
      (drop (call $clock_time_get (i32.const 1) (i64.const 0) (i32.const 3000)))
      (br $again))
    (i32.const 0)))
