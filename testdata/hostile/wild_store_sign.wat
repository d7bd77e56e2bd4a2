;; Writes at 2^63, and at 2^31 as a negative number of 32 bits.
;; expect: check_permissions trap "store_u8"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (call $text (i32.const 512)))
    (call $store_u8 (i64.const 0x8000000000000010) (i32.const 1))
    (call $answer (i32.const 512))))
