;; Makes the host work: much memory and much randomness at each call, through a
;; table, in a recursion without a loop.
;; expect: check_permissions fuel
(module
  (import "extism:host/env" "reset" (func $reset))
  (import "wasi_snapshot_preview1" "random_get" (func $random_get (param i32 i32) (result i32)))
  ;;include common.inc
  ;;include verbs.inc
  (type $two (func (param i32 i32) (result i32)))
  (table $t 1 funcref)
  (elem (table $t) (i32.const 0) func $random_get)
  (func $down (param $n i32)
    (call $reset)
    (drop (call $alloc (i64.const 20000000)))
    (drop (call_indirect $t (type $two) (i32.const 65536) (i32.const 900000) (i32.const 0)))
    (if (i32.eqz (local.get $n)) (then (return)))
    (call $down (i32.sub (local.get $n) (i32.const 1)))
    (call $down (i32.sub (local.get $n) (i32.const 1))))
  (func $check_permissions (result i32)
    (drop (memory.grow (i32.const 15)))
    (call $down (i32.const 40))
    (call $answer (i32.const 512))))
