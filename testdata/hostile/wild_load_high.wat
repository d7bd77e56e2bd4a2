;; Reads at 2^32 + 16, which is 16 in 32 bits.
;; expect: check_permissions trap "load_u8"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (call $text (i32.const 512)))
    (drop (call $load_u8 (i64.const 0x100000010)))
    (call $answer (i32.const 512))))
