;; check_permissions takes an argument.
;; expect: load "export check_permissions: want () -> i32, got (i32) -> i32"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (param i32) (result i32)
    (i32.const 0)))
