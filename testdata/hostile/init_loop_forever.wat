;; An _initialize that never ends.
;; expect: any fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (func (export "_initialize") (loop $again (br $again)))
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
