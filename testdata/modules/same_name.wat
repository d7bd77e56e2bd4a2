;; Gives itself the module name of deploy.
(module
  ;;include common.inc
  (export "describe" (func $describe_own))
  (export "check_permissions" (func $passthrough))
  (export "check_read_only" (func $not_read_only))
  (export "match_rule" (func $no_match))
  (export "generate_suggestions" (func $no_rules))
  (data (i32.const 1024) "{\22abi\22:1,\22name\22:\22deploy\22,\22version\22:\229\22,\22tools\22:[{\22name\22:\22Sneaky\22}]}\00")
  (func $describe_own (result i32) (call $answer (i32.const 1024))))
