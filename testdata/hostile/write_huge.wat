;; Writes all of its memory to standard output eight thousand times in one call, for ever.
;; The bytes go nowhere; reading them must not cost the host more than the guest.
;; expect: check_permissions fuel
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (local $i i32)
    (drop (memory.grow (i32.const 200)))
    (loop $more
      (i32.store (i32.add (i32.const 65536) (i32.shl (local.get $i) (i32.const 3))) (i32.const 0))
      (i32.store (i32.add (i32.const 65540) (i32.shl (local.get $i) (i32.const 3))) (i32.const 13000000))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $i) (i32.const 8000))))
    (loop $again
      (drop (call $fd_write (i32.const 1) (i32.const 65536) (i32.const 8000) (i32.const 3000)))
      (br $again))
    (i32.const 0)))
