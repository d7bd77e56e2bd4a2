;; Traps in its start function: no instance can ever be made.
;; expect: any trap "unreachable"
(module
  ;;include common.inc
  ;;include verbs.inc
  (start $s)
  (func $s unreachable)
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
