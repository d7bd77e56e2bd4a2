;; Two functions that call each other for ever.
;; A stack overflow took 150 to 400 ms and 160 MiB in the known host.
;; expect: check_permissions stack
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $a (param i32) (result i32) (i32.add (i32.const 1) (call $b (local.get 0))))
  (func $b (param i32) (result i32) (i32.add (i32.const 1) (call $a (local.get 0))))
  (func $check_permissions (result i32) (call $a (i32.const 0))))
