;; One variable of 8 MiB.
;; expect: check_permissions ok|trap|memory
(module
  (import "extism:host/env" "var_set" (func $var_set (param i64 i64)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (call $var_set (call $text (i32.const 640)) (call $alloc (i64.const 8000000)))
    (call $answer (i32.const 512))))
