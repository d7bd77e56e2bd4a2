;; Gives error_set offsets that are none, the last one 2^64-1, and returns 0.
;; That it called error_set is an error, whatever the offset.
;; expect: check_permissions code
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (call $answer (i32.const 512)))
    (call $error_set (i64.const 12345678901))
    (call $error_set (i64.const -1))
    (i32.const 0)))
