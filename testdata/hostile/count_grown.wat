;; Counts its calls by the size of its memory.
;; expect: check_read_only text "{\"read_only\":true}"
(module
  ;;include common.inc
  ;;include counters.inc
  (func $counted (result i32)
    (drop (memory.grow (i32.const 1)))
    (call $count (i32.sub (memory.size) (i32.const 1)))))
