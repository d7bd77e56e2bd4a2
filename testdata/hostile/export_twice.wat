;; Two exports of the name check_permissions, one good and one that allows. Which counts
;; would be the engine's secret.
;; expect: load ""
;; unchecked
(module
  ;;include common.inc
  (export "describe" (func $describe))
  (export "check_read_only" (func $not_read_only))
  (export "match_rule" (func $no_match))
  (export "generate_suggestions" (func $no_rules))
  (export "check_permissions" (func $passthrough))
  (func (export "check_permissions") (result i32) (call $answer (i32.const 640))))
