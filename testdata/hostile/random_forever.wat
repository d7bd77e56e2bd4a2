;; Fills 16 MiB with randomness for ever: one call is milliseconds of the host's work.
;; expect: check_permissions fuel
(module
  (import "wasi_snapshot_preview1" "random_get" (func $random_get (param i32 i32) (result i32)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (memory.grow (i32.const 255)))
    (loop $again
      (drop (call $random_get (i32.const 65536) (i32.const 16711680)))
      (br $again))
    (i32.const 0)))
