;; Answers bytes that are not UTF-8.
;; expect: check_permissions output "not UTF-8"
(module
  ;;include common.inc
  ;;include verbs.inc
  (data (i32.const 1024) "{\22behavior\22:\22allow\22,\22message\22:\22\ff\fe\22}\00")
  (func $check_permissions (result i32)
    (call $answer (i32.const 1024))))
