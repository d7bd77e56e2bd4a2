;; Counts its calls in a global that it does not export.
;; expect: check_read_only text "{\"read_only\":true}"
(module
  ;;include common.inc
  ;;include counters.inc
  (global $n (mut i32) (i32.const 0))
  (global $m (mut i64) (i64.const 0))
  (global $f (mut f64) (f64.const 0))
  (func $counted (result i32)
    (global.set $n (i32.add (global.get $n) (i32.const 1)))
    (global.set $m (i64.add (global.get $m) (i64.const 1)))
    (call $count (i32.add (global.get $n) (i32.wrap_i64 (i64.sub (global.get $m) (i64.const 1)))))))
