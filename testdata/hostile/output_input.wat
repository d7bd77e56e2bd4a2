;; Answers its own input, by the input's offset.
;; expect: check_permissions text
;; catalog: check_permissions refused
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (call $output_set (call $input_offset) (call $input_length))
    (i32.const 0)))
