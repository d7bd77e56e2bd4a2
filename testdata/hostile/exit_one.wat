;; Exits with code 1, its output already set.
;; expect: check_permissions exit "exited with code 1"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (call $answer (i32.const 512)))
    (call $proc_exit (i32.const 1))
    (i32.const 0)))
