;; Counts its calls by the size of a table.
;; expect: check_read_only text "{\"read_only\":true}"
(module
  ;;include common.inc
  ;;include counters.inc
  (table $t 0 100 funcref)
  (func $counted (result i32)
    (drop (table.grow $t (ref.null func) (i32.const 1)))
    (call $count (table.size $t))))
