;; An output of one byte more than it may have.
;; expect: check_permissions output "1048577 bytes: at most 1048576"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (call $output_set (call $alloc (i64.const 1048577)) (i64.const 1048577))
    (i32.const 0)))
