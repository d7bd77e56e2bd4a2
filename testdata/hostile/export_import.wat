;; Its check_permissions is an import: a function of the host under the verb's name.
;; expect: load "check_permissions"
(module
  ;;include common.inc
  (export "describe" (func $describe))
  (export "check_read_only" (func $not_read_only))
  (export "match_rule" (func $no_match))
  (export "generate_suggestions" (func $no_rules))
  (export "check_permissions" (func $input_length)))
