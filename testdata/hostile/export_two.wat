;; A check_permissions that returns two numbers.
;; expect: load "export check_permissions: want () -> i32, got () -> (i32, i32)"
(module
  ;;include common.inc
  (export "describe" (func $describe))
  (export "check_read_only" (func $not_read_only))
  (export "match_rule" (func $no_match))
  (export "generate_suggestions" (func $no_rules))
  (func (export "check_permissions") (result i32 i32) (i32.const 0) (i32.const 0)))
