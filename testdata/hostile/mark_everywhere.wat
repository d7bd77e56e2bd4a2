;; Each verb, describe and match_rule too, leaves a mark in memory, a global, a table, a
;; vector, a dropped segment and the size of its memory; a read-only call is one that
;; finds none of them.
;; expect: check_read_only text "{\"read_only\":true}"
(module
  ;;include common.inc
  (export "describe" (func $described))
  (export "check_permissions" (func $checked))
  (export "check_read_only" (func $read))
  (export "match_rule" (func $matched))
  (export "generate_suggestions" (func $suggested))
  (table $t 2 funcref)
  (elem declare func $mark)
  (data $segment "x")
  (global $n (mut i32) (i32.const 0))
  (global $v (mut v128) (v128.const i64x2 0 0))
  (func $mark
    (i32.store8 (i32.const 4096) (i32.const 1))
    (global.set $n (i32.const 1))
    (global.set $v (v128.const i64x2 1 1))
    (table.set $t (i32.const 0) (ref.func $mark))
    (data.drop $segment)
    (drop (memory.grow (i32.const 1))))
  (func $marks (result i32)
    (i32.add (i32.load8_u (i32.const 4096))
      (i32.add (global.get $n)
        (i32.add (i32x4.extract_lane 0 (global.get $v))
          (i32.add (i32.eqz (ref.is_null (table.get $t (i32.const 0))))
            (i32.sub (memory.size) (i32.const 1)))))))
  (func $described (result i32) (call $mark) (call $describe))
  (func $checked (result i32) (call $mark) (call $passthrough))
  (func $matched (result i32) (call $mark) (call $no_match))
  (func $suggested (result i32) (call $mark) (call $no_rules))
  (func $read (result i32)
    (local $n i32)
    (local.set $n (i32.add (call $marks) (i32.const 1)))
    (memory.init $segment (i32.const 4100) (i32.const 0) (i32.const 1)) ;; traps where it was dropped
    (call $mark)
    (call $count (local.get $n))))
