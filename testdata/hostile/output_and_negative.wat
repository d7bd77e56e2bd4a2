;; Sets an output that allows, and returns -2^31.
;; expect: check_permissions code "-2147483648"
(module
  ;;include common.inc
  ;;include verbs.inc
  (data (i32.const 1024) "{\22behavior\22:\22allow\22}\00")
  (func $check_permissions (result i32)
    (drop (call $answer (i32.const 1024)))
    (i32.const 0x80000000)))
