;; Has no match_rule.
;; expect: load "export match_rule: missing"
(module
  ;;include common.inc
  (export "describe" (func $describe))
  (export "check_permissions" (func $passthrough))
  (export "check_read_only" (func $not_read_only))
  (export "generate_suggestions" (func $no_rules)))
