;; Wants a global of the host.
;; expect: load "a tool module may import functions only, got a global"
(module
  (import "extism:host/env" "shared" (global $shared i32))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (i32.const 0)))
