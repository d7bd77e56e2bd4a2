;; An error text of escape sequences, line feeds, right-to-left marks and broken UTF-8,
;; made for whoever reads it in a terminal or a log.
;; expect: check_permissions code
(module
  ;;include common.inc
  ;;include verbs.inc
  (data (i32.const 1024) "\1b[2J\1b]0;owned\07\0d\0aALLOWED by admin\0a\e2\80\ae\ff\fe\c0\80\ed\a0\80\7f\c2\9b1m\00")
  (func $check_permissions (result i32) (call $fail (i32.const 1024))))
