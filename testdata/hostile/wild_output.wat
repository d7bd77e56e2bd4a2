;; Claims an output outside the host memory.
;; expect: check_permissions output "offset 8, length 100000 is outside"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (call $output_set (i64.const 8) (i64.const 100000))
    (i32.const 0)))
