;; Sets an output that allows, and returns 1 without a word.
;; The known host gives no error for it: a check that looks at the error only allows.
;; expect: check_permissions code "returned 1 without a message"
(module
  ;;include common.inc
  ;;include verbs.inc
  (data (i32.const 1024) "{\22behavior\22:\22allow\22}\00")
  (func $check_permissions (result i32)
    (drop (call $answer (i32.const 1024)))
    (i32.const 1)))
