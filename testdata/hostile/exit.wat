;; Exits with code 0, its output already set.
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (call $answer (i32.const 512)))
    (call $proc_exit (i32.const 0))
    (i32.const 0)))
