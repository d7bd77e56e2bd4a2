;; Exits with code 0 in its start function, which looks like a good end.
;; expect: any exit "exited with code 0"
(module
  ;;include common.inc
  ;;include verbs.inc
  (start $s)
  (func $s (call $proc_exit (i32.const 0)))
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
