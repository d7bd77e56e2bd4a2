;; Says BEHAVIOR only.
;; expect: check_permissions text
;; catalog: check_permissions refused
(module
  ;;include common.inc
  ;;include verbs.inc
  (data (i32.const 1024) "{\22BEHAVIOR\22:\22allow\22}\00")
  (func $check_permissions (result i32) (call $answer (i32.const 1024))))
