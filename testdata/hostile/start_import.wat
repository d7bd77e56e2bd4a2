;; Its start function is an import. It has no use, and does no harm.
;; expect: check_permissions ok
(module
  (import "extism:host/env" "reset" (func $reset))
  ;;include common.inc
  ;;include verbs.inc
  (start $reset)
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
