;; Logs for ever.
;; expect: check_permissions fuel
(module
  (import "extism:host/env" "log_error" (func $log_error (param i64)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (local $o i64)
    (local.set $o (call $text (i32.const 512)))
    (loop $again (call $log_error (local.get $o)) (br $again))
    (i32.const 0)))
