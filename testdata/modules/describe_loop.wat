;; Never says what it is.
(module
  ;;include common.inc
  (export "describe" (func $describe_for_ever))
  (export "check_permissions" (func $passthrough))
  (export "check_read_only" (func $not_read_only))
  (export "match_rule" (func $no_match))
  (export "generate_suggestions" (func $no_rules))
  (func $describe_for_ever (result i32)
    (loop $again (br $again))
    (i32.const 0)))
