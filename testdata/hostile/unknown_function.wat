;; Wants an extism function that does not exist.
;; expect: load "import extism:host/env.run: this host has no such function"
(module
  (import "extism:host/env" "run" (func $run (param i32) (result i32)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (call $run (i32.const 0))))
