;; Answers more than an answer may have.
;; expect: check_permissions output "2000000 bytes: at most 1048576"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (local $offset i64)
    (local.set $offset (call $alloc (i64.const 2000000)))
    (call $output_set (local.get $offset) (i64.const 2000000))
    (i32.const 0)))
