;; A describe whose answer is not UTF-8.
;; expect: describe output "not UTF-8"
(module
  ;;include common.inc
  (export "describe" (func $bad))
  (export "check_permissions" (func $passthrough))
  (export "check_read_only" (func $not_read_only))
  (export "match_rule" (func $no_match))
  (export "generate_suggestions" (func $no_rules))
  (data (i32.const 1024) "{\22abi\22:1,\22name\22:\22\ff\fe\22}\00")
  (func $bad (result i32) (call $answer (i32.const 1024))))
