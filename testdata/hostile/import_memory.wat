;; Wants the host's memory.
;; expect: load "a tool module may import functions only, got a memory"
(module
  (import "extism:host/env" "memory" (memory 1))
  (func $check_permissions (result i32) (i32.const 0))
  (export "check_permissions" (func $check_permissions)))
