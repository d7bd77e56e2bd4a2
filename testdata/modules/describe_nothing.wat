;; Says nothing of itself.
(module
  ;;include common.inc
  (export "describe" (func $describe_it))
  (export "check_permissions" (func $passthrough))
  (export "check_read_only" (func $not_read_only))
  (export "match_rule" (func $no_match))
  (export "generate_suggestions" (func $no_rules))
  (data (i32.const 1024) "I am a module.\00")
  (func $describe_it (result i32)
    (i32.const 0)))
