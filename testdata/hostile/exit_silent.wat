;; Exits with code 0 without output: os.Exit(0) in the known host is success.
;; expect: check_permissions exit "exited with code 0"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (call $proc_exit (i32.const 0))
    (i32.const 0)))
