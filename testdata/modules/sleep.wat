;; Sleeps for an hour by the sandbox's clock, which is over at once.
(module
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll_oneoff (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "clock_time_get" (func $clock_time_get (param i32 i64 i32) (result i32)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    ;; one subscription: the monotonic clock, 3600 s from now
    (i64.store (i32.const 2048) (i64.const 7))
    (i32.store8 (i32.const 2056) (i32.const 0))
    (i32.store (i32.const 2064) (i32.const 1))
    (i64.store (i32.const 2072) (i64.const 3600000000000))
    (i64.store (i32.const 2080) (i64.const 0))
    (i32.store16 (i32.const 2088) (i32.const 0))
    (drop (call $clock_time_get (i32.const 1) (i64.const 0) (i32.const 3000)))
    (if (i32.ne (call $poll_oneoff (i32.const 2048) (i32.const 2304) (i32.const 1) (i32.const 2400)) (i32.const 0)) (then (return (i32.const 2))))
    (drop (call $clock_time_get (i32.const 1) (i64.const 0) (i32.const 3008)))
    (if (i64.ne (i64.sub (i64.load (i32.const 3008)) (i64.load (i32.const 3000))) (i64.const 3600000000000)) (then (return (i32.const 3))))
    (call $answer (i32.const 512))))
