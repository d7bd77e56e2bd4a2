;; Waits for the thirteen hundred clocks that fit its memory, in one call, for ever.
;; expect: check_permissions fuel
(module
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll_oneoff (param i32 i32 i32 i32) (result i32)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (loop $again
      (drop (call $poll_oneoff (i32.const 1024) (i32.const 1024) (i32.const 1300) (i32.const 2400)))
      (br $again))
    (i32.const 0)))
