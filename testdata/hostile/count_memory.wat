;; Counts its calls in memory, and starts from what _initialize wrote.
;; expect: check_read_only text "{\"read_only\":true}"
(module
  ;;include common.inc
  ;;include counters.inc
  (func (export "_initialize") (i32.store (i32.const 4096) (i32.const 41)))
  (func $counted (result i32)
    (i32.store (i32.const 4096) (i32.add (i32.load (i32.const 4096)) (i32.const 1)))
    (call $count (i32.sub (i32.load (i32.const 4096)) (i32.const 41)))))
