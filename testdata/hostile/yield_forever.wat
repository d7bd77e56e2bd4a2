;; Yields for ever, as a program does whose other threads never come.
;; expect: check_permissions fuel
(module
  (import "wasi_snapshot_preview1" "sched_yield" (func $sched_yield (result i32)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (loop $again (drop (call $sched_yield)) (br $again))
    (i32.const 0)))
