;; Its own rule example does not hold: match_rule never matches.
(module
  ;;include common.inc
  (export "describe" (func $describe_bad))
  (export "check_permissions" (func $passthrough))
  (export "check_read_only" (func $not_read_only))
  (export "match_rule" (func $no_match))
  (export "generate_suggestions" (func $no_rules))
  (data (i32.const 1024) "{\22abi\22:1,\22name\22:\22bad_example\22,\22version\22:\221\22,\22tools\22:[{\22name\22:\22Bad\22,\22rule_examples\22:[{\22content\22:\22x\22,\22behavior\22:\22deny\22,\22input\22:{\22a\22:1},\22match\22:true}]}]}\00")
  (func $describe_bad (result i32) (call $answer (i32.const 1024))))
