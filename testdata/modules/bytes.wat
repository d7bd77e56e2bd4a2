;; check_permissions adds up the bytes of its input, each of which it reads from
;; the host by a call of its own; check_read_only does the same without reading.
;; Both fail when the sum is not 0.
(module
  ;;include common.inc
  (func $check_permissions (result i32)
    (local $at i64) (local $end i64) (local $sum i32)
    (local.set $at (call $input_offset))
    (local.set $end (i64.add (local.get $at) (call $input_length)))
    (loop $more
      (local.set $sum (i32.add (local.get $sum) (call $load_u8 (local.get $at))))
      (local.set $at (i64.add (local.get $at) (i64.const 1)))
      (br_if $more (i64.lt_u (local.get $at) (local.get $end))))
    (if (local.get $sum) (then (return (i32.const 1))))
    (call $answer (i32.const 512)))
  (func $check_read_only (result i32)
    (local $at i64) (local $end i64) (local $sum i32)
    (local.set $at (call $input_offset))
    (local.set $end (i64.add (local.get $at) (call $input_length)))
    (loop $more
      (local.set $sum (i32.add (local.get $sum) (i32.wrap_i64 (i64.shr_u (local.get $at) (i64.const 32)))))
      (local.set $at (i64.add (local.get $at) (i64.const 1)))
      (br_if $more (i64.lt_u (local.get $at) (local.get $end))))
    (if (local.get $sum) (then (return (i32.const 1))))
    (call $answer (i32.const 544)))
  (export "describe" (func $describe))
  (export "check_permissions" (func $check_permissions))
  (export "check_read_only" (func $check_read_only))
  (export "match_rule" (func $no_match))
  (export "generate_suggestions" (func $no_rules)))
