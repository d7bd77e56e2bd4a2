;; An immunity that is a word, beside an allow.
;; expect: check_permissions text
;; catalog: check_permissions refused
(module
  ;;include common.inc
  ;;include verbs.inc
  (data (i32.const 1024) "{\22behavior\22:\22allow\22,\22bypass_immune\22:\22no\22}\00")
  (func $check_permissions (result i32) (call $answer (i32.const 1024))))
