;; An output of 2^63 bytes.
;; expect: check_permissions output
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (call $text (i32.const 512)))
    (call $output_set (i64.const 8) (i64.const 0x8000000000000000))
    (i32.const 0)))
