;; An hs_init that never ends.
;; expect: any fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (func (export "hs_init") (param i32 i32) (loop $again (br $again)))
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
