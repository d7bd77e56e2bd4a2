;; An output whose offset is small only in its low 32 bits.
;; expect: check_permissions output
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (call $text (i32.const 512)))
    (call $output_set (i64.const 0x100000008) (i64.const 8))
    (i32.const 0)))
