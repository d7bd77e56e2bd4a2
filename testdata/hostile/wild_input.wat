;; Reads its input at indices from the end to 2^64-1; behind the input there are zeros,
;; and never the bytes of what stands behind it in the host memory.
;; expect: check_permissions ok
(module
  (import "extism:host/env" "input_load_u64" (func $input_load_u64 (param i64) (result i64)))
  ;;include common.inc
  ;;include verbs.inc
  (func $zero (param $i i64)
    (if (call $input_load_u8 (local.get $i)) (then unreachable))
    (if (i64.ne (call $input_load_u64 (local.get $i)) (i64.const 0)) (then unreachable)))
  (func $check_permissions (result i32)
    (local $o i64)
    (local.set $o (call $alloc (i64.const 64)))
    (call $store_u64 (local.get $o) (i64.const -1))
    (call $zero (call $input_length))
    (call $zero (i64.add (call $input_length) (i64.const 8)))
    (call $zero (i64.const -1))
    (call $zero (i64.const -8))
    (call $zero (i64.const 0x100000000))
    (call $zero (i64.const 0x8000000000000000))
    (call $zero (i64.sub (local.get $o) (call $input_offset)))
    (call $answer (i32.const 512))))
