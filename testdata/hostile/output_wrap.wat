;; An output whose offset and length together wrap round to something small.
;; expect: check_permissions output
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (call $text (i32.const 512)))
    (call $output_set (i64.const -16) (i64.const 32))
    (i32.const 0)))
