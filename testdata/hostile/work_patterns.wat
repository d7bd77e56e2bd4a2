;; Four hundred patterns of processes of 2.4 KB: 1.4 s of the host for one check.
;; expect: describe_call text
;; catalog: describe_call refused
;; limits: fuel=200000000
(module
  ;;include common.inc
  (export "describe" (func $describe))
  (export "check_permissions" (func $passthrough))
  (export "check_read_only" (func $not_read_only))
  (export "match_rule" (func $no_match))
  (export "generate_suggestions" (func $no_rules))
  (export "describe_call" (func $flooded))
  (data (i32.const 700) "{\22marks\22:[")
  (data (i32.const 800) "{\22kind\22:\22process\22,\22access\22:\22write\22,\22value\22:\22pattern:")
  (data (i32.const 900) "[a-f]{9}")
  (data (i32.const 950) "\22},")
  (data (i32.const 960) "]}")
  (global $at (mut i32) (i32.const 1024))
  (func $put (param $from i32) (param $n i32)
    (memory.copy (global.get $at) (local.get $from) (local.get $n))
    (global.set $at (i32.add (global.get $at) (local.get $n))))
  (func $flooded (result i32)
    (local $i i32) (local $k i32)
    (drop (memory.grow (i32.const 20)))
    (global.set $at (i32.const 1024))
    (call $put (i32.const 700) (i32.const 10))
    (loop $more
      (call $put (i32.const 800) (i32.const 52))
      (local.set $k (i32.const 0))
      (loop $longer
        (call $put (i32.const 900) (i32.const 8))
        (local.set $k (i32.add (local.get $k) (i32.const 1)))
        (br_if $longer (i32.lt_u (local.get $k) (i32.const 300))))
      (call $put (i32.const 950) (i32.const 3))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $i) (i32.const 400))))
    (global.set $at (i32.sub (global.get $at) (i32.const 1)))
    (call $put (i32.const 960) (i32.const 2))
    (call $answer (i32.const 1024))))
