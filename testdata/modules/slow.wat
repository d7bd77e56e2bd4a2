;; When it is asked what it is, it works for some milliseconds, logs a line and works
;; on: a test's logger makes it as late as it wants.
(module
  (import "extism:host/env" "log_warn" (func $log_warn (param i64)))
  ;;include common.inc
  (export "describe" (func $describe_slowly))
  (export "check_permissions" (func $passthrough))
  (export "check_read_only" (func $not_read_only))
  (export "match_rule" (func $no_match))
  (export "generate_suggestions" (func $no_rules))
  (func $work
    (local $i i32)
    (loop $again
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $again (i32.lt_u (local.get $i) (i32.const 2000000)))))
  (func $describe_slowly (result i32)
    (call $work)
    (call $log_warn (call $text (i32.const 544)))
    (call $work)
    (call $describe)))
