;; Two hundred examples of itself, each right and within the fuel of a call: trying it
;; took hours, and whatever was to be loaded after it waited.
;; expect: describe text "rule_examples"
(module
  ;;include common.inc
  (export "describe" (func $described))
  (export "check_permissions" (func $passthrough))
  (export "check_read_only" (func $not_read_only))
  (export "match_rule" (func $slowly))
  (export "generate_suggestions" (func $no_rules))
  (data (i32.const 700) "{\22abi\22:1,\22name\22:\22@tool@\22,\22version\22:\221.0.0\22,\22tools\22:[{\22name\22:\22@tool@\22,\22rule_examples\22:[")
  (data (i32.const 900) "{\22behavior\22:\22deny\22,\22content\22:\22x\22,\22input\22:{},\22match\22:false},")
  (data (i32.const 1000) "]}]}")
  (global $at (mut i32) (i32.const 1024))
  (func $put (param $from i32) (param $n i32)
    (memory.copy (global.get $at) (local.get $from) (local.get $n))
    (global.set $at (i32.add (global.get $at) (local.get $n))))
  (func $described (result i32)
    (local $i i32)
    (global.set $at (i32.const 1024))
    (call $put (i32.const 700) (i32.const 100))
    (loop $more
      (call $put (i32.const 900) (i32.const 59))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $i) (i32.const 200))))
    (global.set $at (i32.sub (global.get $at) (i32.const 1)))
    (call $put (i32.const 1000) (i32.const 4))
    (call $answer (i32.const 1024)))
  (func $slowly (result i32)
    (local $i i32)
    (loop $again
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $again (i32.lt_u (local.get $i) (i32.const 1000000))))
    (call $no_match)))
