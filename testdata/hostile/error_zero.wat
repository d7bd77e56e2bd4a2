;; Stores an error, sets an output and returns 0.
;; expect: check_permissions code "no idea"
(module
  ;;include common.inc
  ;;include verbs.inc
  (data (i32.const 1024) "no idea\00")
  (func $check_permissions (result i32)
    (call $error_set (call $text (i32.const 1024)))
    (call $answer (i32.const 512))))
