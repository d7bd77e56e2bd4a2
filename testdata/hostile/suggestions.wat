;; Suggests a thousand rules.
;; expect: generate_suggestions text
;; catalog: generate_suggestions refused
(module
  ;;include common.inc
  (export "describe" (func $describe))
  (export "check_permissions" (func $passthrough))
  (export "check_read_only" (func $not_read_only))
  (export "match_rule" (func $no_match))
  (export "generate_suggestions" (func $flooded))
  (data (i32.const 700) "{\22rules\22:[")
  (data (i32.const 800) "{\22content\22:\22*\22,\22description\22:\22d\22},")
  (data (i32.const 900) "]}")
  (func $flooded (result i32)
    (local $at i32) (local $i i32)
    (memory.copy (i32.const 1024) (i32.const 700) (i32.const 10))
    (local.set $at (i32.const 1034))
    (loop $more
      (memory.copy (local.get $at) (i32.const 800) (i32.const 34))
      (local.set $at (i32.add (local.get $at) (i32.const 34)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $i) (i32.const 1000))))
    (memory.copy (i32.sub (local.get $at) (i32.const 1)) (i32.const 900) (i32.const 2))
    (call $answer (i32.const 1024))))
