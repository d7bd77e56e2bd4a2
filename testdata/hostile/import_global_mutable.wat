;; Wants a global of the host that it could set: the one where fuel is counted.
;; expect: load "a tool module may import functions only, got a global"
(module
  (import "callgate:fuel" "callgate:fuel" (global $g (mut i64)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
