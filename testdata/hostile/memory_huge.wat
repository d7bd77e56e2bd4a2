;; A memory that begins with 4 GiB.
;; expect: load "memory_mib"
(module
  (func $check_permissions (result i32) (i32.const 0))
  (export "describe" (func $check_permissions))
  (export "check_permissions" (func $check_permissions))
  (export "check_read_only" (func $check_permissions))
  (export "match_rule" (func $check_permissions))
  (export "generate_suggestions" (func $check_permissions))
  (memory 65536))
