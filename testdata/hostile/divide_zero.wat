;; Divides by zero.
;; expect: check_permissions trap "divide by zero"
(module
  ;;include common.inc
  ;;include verbs.inc
  (global $zero (mut i32) (i32.const 0))
  (func $check_permissions (result i32) (i32.div_u (i32.const 1) (global.get $zero))))
