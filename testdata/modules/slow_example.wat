;; When its own example is tried it works for some milliseconds, logs a line and works
;; on: a test's logger makes the trial as long as it wants.
(module
  (import "extism:host/env" "log_warn" (func $log_warn (param i64)))
  ;;include common.inc
  (export "describe" (func $described))
  (export "check_permissions" (func $passthrough))
  (export "check_read_only" (func $not_read_only))
  (export "match_rule" (func $slowly))
  (export "generate_suggestions" (func $no_rules))
  (data (i32.const 700) "{\22abi\22:1,\22name\22:\22@tool@\22,\22version\22:\221.0.0\22,\22tools\22:[{\22name\22:\22@tool@\22,\22rule_examples\22:[{\22behavior\22:\22deny\22,\22content\22:\22x\22,\22input\22:{},\22match\22:false}]}]}\00")
  (func $described (result i32) (call $answer (i32.const 700)))
  (func $slowly (result i32)
    (call $log_warn (call $text (i32.const 544)))
    (call $no_match)))
