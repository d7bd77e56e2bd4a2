;; Waits for 2^32-1 things at once, at an offset near the end of memory, for ever.
;; A host that multiplies before it checks reads far outside.
;; expect: check_permissions fuel
(module
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll_oneoff (param i32 i32 i32 i32) (result i32)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (loop $again
      (if (i32.eqz (call $poll_oneoff (i32.const 65500) (i32.const 0) (i32.const -1) (i32.const 2400))) (then (return (i32.const 9))))
      (br $again))
    (i32.const 0)))
