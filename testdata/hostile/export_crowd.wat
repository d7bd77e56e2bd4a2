;; A thousand exports of one function, with long names.
;; expect: check_permissions ok
(module
  ;;include common.inc
  (export "describe" (func $describe))
  (export "check_read_only" (func $not_read_only))
  (export "match_rule" (func $no_match))
  (export "generate_suggestions" (func $no_rules))
  (export "check_permissions" (func $passthrough))
  ;;repeat 1 1000
  (export "a name that is longer than any name should be, and there are many of its kind, number @i@" (func $passthrough))
  ;;end
)
