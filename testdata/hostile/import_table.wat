;; Wants a table of the host.
;; expect: load "a tool module may import functions only, got a table"
(module
  (import "extism:host/env" "table" (table 1 funcref))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
