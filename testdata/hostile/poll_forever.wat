;; Sleeps an hour of the sandbox's clock, for ever. The clock must move at once, and the
;; calls must cost.
;; expect: check_permissions fuel
(module
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll_oneoff (param i32 i32 i32 i32) (result i32)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (i32.store (i32.const 2064) (i32.const 1))
    (i64.store (i32.const 2072) (i64.const 3600000000000))
    (loop $again
      (drop (call $poll_oneoff (i32.const 2048) (i32.const 2304) (i32.const 1) (i32.const 2400)))
      (br $again))
    (i32.const 0)))
