;; Exports a function by the name with which a host puts tables back.
;; expect: load "names with \"callgate:\" are the host's own"
(module
  ;;include common.inc
  (export "describe" (func $describe))
  (export "check_read_only" (func $not_read_only))
  (export "match_rule" (func $no_match))
  (export "generate_suggestions" (func $no_rules))
  (export "check_permissions" (func $passthrough))
  (func (export "callgate:restore")))
