;; An element segment outside its table. The engine leaves it out, as if there were none.
;; expect: check_permissions ok
(module
  ;;include common.inc
  ;;include verbs.inc
  (table 1 funcref)
  (elem (i32.const 5) func $check_permissions)
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
