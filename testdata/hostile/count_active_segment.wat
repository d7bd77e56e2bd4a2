;; Drops a data segment that is not passive. By the specification it is dropped
;; already; the engine keeps such a segment until then, so that a second call
;; would trap.
;; expect: check_read_only text "{\"read_only\":true}"
(module
  ;;include common.inc
  ;;include counters.inc
  (data $once (i32.const 8200) "once")
  (func $counted (result i32)
    (memory.init $once (i32.const 8192) (i32.const 0) (i32.const 4))
    (data.drop $once)
    (call $count (i32.const 1))))
