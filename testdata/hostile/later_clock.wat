;; Sleeps, and looks at the clock for how long earlier calls slept.
;; Each call is the first one, so it never attacks.
;; expect: check_permissions ok
(module
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll_oneoff (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "clock_time_get" (func $clock_time_get (param i32 i64 i32) (result i32)))
  ;;include common.inc
  ;;include verbs.inc
  (func $next (result i32)
    (drop (call $clock_time_get (i32.const 0) (i64.const 0) (i32.const 3000)))
    (i32.store (i32.const 2064) (i32.const 1))
    (i64.store (i32.const 2072) (i64.const 3600000000000))
    (drop (call $poll_oneoff (i32.const 2048) (i32.const 2304) (i32.const 1) (i32.const 2400)))
    ;; 2026-01-01T00:00:00Z is when every call begins
    (i64.gt_u (i64.load (i32.const 3000)) (i64.const 1767225600000000000))
    (i32.mul (i32.const 9)))
  (func $check_permissions (result i32)
    (if (i32.gt_u (call $next) (i32.const 3)) (then (loop $again (br $again))))
    (call $answer (i32.const 512))))
