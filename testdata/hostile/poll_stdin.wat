;; Waits for standard input, which never comes.
;; expect: check_permissions ok
(module
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll_oneoff (param i32 i32 i32 i32) (result i32)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (i64.store (i32.const 2048) (i64.const 9))
    (i32.store8 (i32.const 2056) (i32.const 1))
    (i32.store (i32.const 2064) (i32.const 0))
    (drop (call $poll_oneoff (i32.const 2048) (i32.const 2304) (i32.const 1) (i32.const 2400)))
    (call $answer (i32.const 512))))
