;; Counts its calls in a v128 global.
;; expect: check_read_only text "{\"read_only\":true}"
(module
  ;;include common.inc
  ;;include counters.inc
  (global $v (mut v128) (v128.const i32x4 0 0 0 0))
  (func $counted (result i32)
    (global.set $v (i32x4.add (global.get $v) (v128.const i32x4 1 0 0 0)))
    (call $count (i32x4.extract_lane 0 (global.get $v)))))
