;; Counts its calls by what it drew, slept and closed.
;; expect: check_read_only text "{\"read_only\":true}"
(module
  (import "wasi_snapshot_preview1" "fd_close" (func $fd_close (param i32) (result i32)))
  (import "wasi_snapshot_preview1" "random_get" (func $random_get (param i32 i32) (result i32)))
  ;;include common.inc
  ;;include counters.inc
  (func $counted (result i32)
    (if (i32.ne (call $fd_close (i32.const 1)) (i32.const 0)) (then (return (call $count (i32.const 2)))))
    (drop (call $random_get (i32.const 4096) (i32.const 4)))
    (drop (call $random_get (i32.const 4100) (i32.const 4)))
    (if (i32.eq (i32.load (i32.const 4096)) (i32.load (i32.const 4100))) (then (return (call $count (i32.const 3)))))
    (if (i32.ne (i32.load8_u (i32.const 4096)) (i32.const 0x15)) (then (return (call $count (i32.const 4)))))
    (call $count (i32.const 1))))
