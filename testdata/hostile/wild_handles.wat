;; Gives every function that takes a handle the offsets that are none.
;; A length of anything but a live block is 0, and nothing else may come of it.
;; expect: check_permissions ok
(module
  (import "extism:host/env" "length_unsafe" (func $length_unsafe (param i64) (result i64)))
  (import "extism:host/env" "log_error" (func $log_error (param i64)))
  ;;include common.inc
  ;;include verbs.inc
  (func $all (param $o i64)
    (if (i64.ne (call $length (local.get $o)) (i64.const 0)) (then unreachable))
    (if (i64.ne (call $length_unsafe (local.get $o)) (i64.const 0)) (then unreachable))
    (call $free (local.get $o))
    (call $log_error (local.get $o)))
  (func $check_permissions (result i32)
    (local $b i64)
    (local.set $b (call $alloc (i64.const 64)))
    (call $all (i64.const 0))
    (call $all (i64.const 1))
    (call $all (i64.const -1))
    (call $all (i64.const -8))
    (call $all (i64.const 0x80000000))
    (call $all (i64.const 0x100000000))
    (call $all (i64.const 0x8000000000000000))
    (call $all (i64.add (local.get $b) (i64.const 1)))
    (call $all (i64.add (local.get $b) (i64.const 8)))
    (call $all (i64.add (local.get $b) (i64.const 64)))
    (call $all (i64.sub (local.get $b) (i64.const 8)))
    (call $all (i64.or (local.get $b) (i64.const 0x100000000)))
    (call $all (i64.or (local.get $b) (i64.const 0x8000000000000000)))
    (if (i64.ne (call $length (local.get $b)) (i64.const 64)) (then (return (i32.const 9))))
    (call $answer (i32.const 512))))
