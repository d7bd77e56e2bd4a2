;; Exits from a thousand calls deep.
;; expect: check_permissions exit "exited with code 4294967295|exited with code -1"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $down (param $n i32)
    (if (i32.eqz (local.get $n)) (then (call $proc_exit (i32.const -1))))
    (call $down (i32.sub (local.get $n) (i32.const 1))))
  (func $check_permissions (result i32)
    (call $down (i32.const 1000))
    (i32.const 0)))
