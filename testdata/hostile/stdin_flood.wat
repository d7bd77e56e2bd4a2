;; Reads standard input for ever.
;; expect: check_permissions fuel
(module
  (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (i32.store (i32.const 2048) (i32.const 4096))
    (i32.store (i32.const 2052) (i32.const 60000))
    (loop $again
      (drop (call $fd_read (i32.const 0) (i32.const 2048) (i32.const 1) (i32.const 3000)))
      (if (i32.load (i32.const 3000)) (then (return (i32.const 9))))
      (br $again))
    (i32.const 0)))
