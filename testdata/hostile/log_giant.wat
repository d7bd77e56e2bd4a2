;; Logs one line of 8 MiB of zeros, and one of escape sequences.
;; expect: check_permissions ok
(module
  (import "extism:host/env" "log_warn" (func $log_warn (param i64)))
  ;;include common.inc
  ;;include verbs.inc
  (data (i32.const 1024) "\1b[2J\0alevel=INFO msg=\22call allowed\22\00")
  (func $check_permissions (result i32)
    (call $log_warn (call $alloc (i64.const 8000000)))
    (call $log_warn (call $text (i32.const 1024)))
    (call $answer (i32.const 512))))
