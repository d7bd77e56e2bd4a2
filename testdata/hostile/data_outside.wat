;; A data segment that begins outside its memory: instantiation itself traps.
;; expect: any trap|load
(module
  ;;include common.inc
  ;;include verbs.inc
  (data (i32.const 65530) "more than fits there")
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
