;; A number of thirty thousand digits.
;; expect: check_permissions text
;; catalog: check_permissions refused
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (memory.copy (i32.const 1024) (i32.const 700) (i32.const 12))
    (memory.fill (i32.const 1036) (i32.const 0x39) (i32.const 30000))
    (i32.store8 (i32.const 31036) (i32.const 0x7d))
    (call $answer (i32.const 1024)))
  (data (i32.const 700) "{\22behavior\22:"))
