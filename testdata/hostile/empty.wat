;; Returns 0 and answers nothing.
;; expect: check_permissions output "without output"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (i32.const 0)))
