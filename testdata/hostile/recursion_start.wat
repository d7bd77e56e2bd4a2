;; Calls itself for ever in its start function.
;; expect: any stack
(module
  ;;include common.inc
  ;;include verbs.inc
  (start $a)
  (func $a (call $a) (call $a))
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
