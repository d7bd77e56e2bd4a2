;; Imports alloc as a function of one i32: a host that binds by name alone hands the guest
;; a wrong stack.
;; expect: load "import extism:host/env.alloc: want (i64) -> i64, got (i32) -> i32"
(module
  (import "extism:host/env" "alloc" (func $lie (param i32) (result i32)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
