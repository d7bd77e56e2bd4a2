;; Counts its calls by the functions it puts into a table.
;; expect: check_read_only text "{\"read_only\":true}"
(module
  ;;include common.inc
  ;;include counters.inc
  (table $t 2 funcref)
  (elem declare func $counted)
  (func $counted (result i32)
    (local $n i32)
    (local.set $n (i32.add (i32.const 1) (i32.eqz (ref.is_null (table.get $t (i32.const 0))))))
    (table.set $t (i32.const 0) (ref.func $counted))
    (call $count (local.get $n))))
