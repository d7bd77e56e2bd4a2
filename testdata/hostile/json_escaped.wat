;; An allow whose letters are escaped is an allow, and after it there is more.
;; expect: check_permissions text
;; catalog: check_permissions refused
(module
  ;;include common.inc
  ;;include verbs.inc
  (data (i32.const 1024) "{\22\5cu0062ehavior\22:\22\5cu0061llow\22}{\22behavior\22:\22allow\22}\00")
  (func $check_permissions (result i32) (call $answer (i32.const 1024))))
