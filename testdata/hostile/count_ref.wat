;; Counts its calls in a global that holds a function.
;; expect: check_read_only text "{\"read_only\":true}"
(module
  ;;include common.inc
  ;;include counters.inc
  (global $r (mut funcref) (ref.null func))
  (elem declare func $counted)
  (func $counted (result i32)
    (local $n i32)
    (local.set $n (i32.add (i32.const 1) (i32.eqz (ref.is_null (global.get $r)))))
    (global.set $r (ref.func $counted))
    (call $count (local.get $n))))
