;; A global where check_permissions should be.
;; expect: load "export check_permissions: missing"
(module
  ;;include common.inc
  (export "describe" (func $describe))
  (export "check_read_only" (func $not_read_only))
  (export "match_rule" (func $no_match))
  (export "generate_suggestions" (func $no_rules))
  (global (export "check_permissions") i32 (i32.const 0)))
