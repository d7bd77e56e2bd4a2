;; An hs_init that calls itself for ever.
;; expect: any stack
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $hs (export "hs_init") (param i32 i32) (call $hs (local.get 0) (local.get 1)) (call $hs (local.get 0) (local.get 1)))
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
