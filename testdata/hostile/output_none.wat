;; An output of no bytes at an offset that exists, after an output that was good.
;; The last one wins: there is none.
;; expect: check_permissions output "without output"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (call $text (i32.const 512)))
    (call $output_set (i64.const 8) (i64.const 0))
    (i32.const 0)))
