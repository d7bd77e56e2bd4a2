;; A check_permissions that returns nothing.
;; expect: load "export check_permissions: want () -> i32, got () -> ()"
(module
  ;;include common.inc
  (export "describe" (func $describe))
  (export "check_read_only" (func $not_read_only))
  (export "match_rule" (func $no_match))
  (export "generate_suggestions" (func $no_rules))
  (func (export "check_permissions")))
