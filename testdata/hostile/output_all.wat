;; Everything in the host memory and one byte more as its output.
;; expect: check_permissions output
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (call $text (i32.const 512)))
    (call $output_set (i64.const 8) (i64.const 0xffffffff))
    (i32.const 0)))
