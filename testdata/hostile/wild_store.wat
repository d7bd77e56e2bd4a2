;; Writes at an offset that is small only in its low 32 bits.
;; expect: check_permissions trap "store_u8: offset 4294967312, length 1 is outside"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (call $store_u8 (i64.const 0x100000010) (i32.const 1))
    (call $answer (i32.const 512))))
