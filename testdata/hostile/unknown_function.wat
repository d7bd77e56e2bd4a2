;; Wants an extism function that does not exist.
(module
  (import "extism:host/env" "run" (func $run (param i32) (result i32)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (call $run (i32.const 0))))
