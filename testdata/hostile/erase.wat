;; Overwrites all of its own memory, its answers too, and answers nothing.
;; What the next call says must be as it was.
;; expect: check_permissions output "without output"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (memory.fill (i32.const 0) (i32.const 88) (i32.const 65536))
    (memory.fill (i32.const 0) (i32.const 0) (i32.const 65536))
    (call $answer (i32.const 512))))
