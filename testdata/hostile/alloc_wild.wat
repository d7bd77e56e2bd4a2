;; Allocates 2^63, 2^64-1, 2^32 and more bytes: sizes that wrap round when a host adds
;; its own to them, or cuts them to 32 bits. All must fail with 0.
;; expect: check_permissions ok
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $none (param $n i64) (if (i64.ne (call $alloc (local.get $n)) (i64.const 0)) (then unreachable)))
  (func $check_permissions (result i32)
    (call $none (i64.const -1))
    (call $none (i64.const -7))
    (call $none (i64.const -8))
    (call $none (i64.const -65536))
    (call $none (i64.const 0x8000000000000000))
    (call $none (i64.const 0x7fffffffffffffff))
    (call $none (i64.const 0x100000000))
    (call $none (i64.const 0xffffffff))
    (call $none (i64.const 0x100000001))
    (call $answer (i32.const 512))))
