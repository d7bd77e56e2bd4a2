;; Exports _start, which loops for ever, and main. Nobody calls them.
;; expect: check_permissions ok
(module
  ;;include common.inc
  (export "describe" (func $describe))
  (export "check_read_only" (func $not_read_only))
  (export "match_rule" (func $no_match))
  (export "generate_suggestions" (func $no_rules))
  (export "check_permissions" (func $passthrough))
  (func (export "_start") (loop $again (br $again)))
  (func (export "main") (loop $again (br $again))))
