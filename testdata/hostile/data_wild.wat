;; A data segment at offset 2^32-1.
;; expect: any trap|load
(module
  ;;include common.inc
  ;;include verbs.inc
  (data (i32.const -1) "xy")
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
