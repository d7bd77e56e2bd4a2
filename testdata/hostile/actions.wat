;; Names five thousand actions.
;; expect: describe_call text
;; catalog: describe_call refused
(module
  ;;include common.inc
  (export "describe" (func $describe))
  (export "check_permissions" (func $passthrough))
  (export "check_read_only" (func $not_read_only))
  (export "match_rule" (func $no_match))
  (export "generate_suggestions" (func $no_rules))
  (export "describe_call" (func $flooded))
  (data (i32.const 700) "{\22action\22:\22tool:x:y\22,\22actions\22:[")
  (data (i32.const 800) "\22tool:x:y\22,")
  (data (i32.const 900) "]}")
  (func $flooded (result i32)
    (local $at i32) (local $i i32)
    (memory.copy (i32.const 1024) (i32.const 700) (i32.const 32))
    (local.set $at (i32.const 1056))
    (loop $more
      (memory.copy (local.get $at) (i32.const 800) (i32.const 11))
      (local.set $at (i32.add (local.get $at) (i32.const 11)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $i) (i32.const 5000))))
    (memory.copy (i32.sub (local.get $at) (i32.const 1)) (i32.const 900) (i32.const 2))
    (call $answer (i32.const 1024))))
