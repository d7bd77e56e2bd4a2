;; Lists of buffers that are outside its memory, or 2^29 long, so that their size in
;; bytes is 0 in 32 bits.
;; expect: check_permissions ok
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (if (i32.eqz (call $fd_write (i32.const 1) (i32.const 0) (i32.const 0x20000001) (i32.const 3000))) (then (return (i32.const 8))))
    (if (i32.eqz (call $fd_write (i32.const 1) (i32.const -8) (i32.const 4) (i32.const 3000))) (then (return (i32.const 9))))
    (drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const -2)))
    (drop (call $fd_write (i32.const -1) (i32.const 0) (i32.const 1) (i32.const 3000)))
    (call $answer (i32.const 512))))
