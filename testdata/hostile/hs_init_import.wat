;; Its hs_init is an import: called directly, a trap in it would end the host.
;; expect: load "export hs_init: is the import"
(module
  ;;include common.inc
  ;;include verbs.inc
  (export "hs_init" (func $proc_exit))
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
