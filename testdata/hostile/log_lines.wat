;; Logs five thousand lines and then answers: some are logged, and the answer counts.
;; expect: check_permissions ok
(module
  (import "extism:host/env" "log_warn" (func $log_warn (param i64)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (local $i i32)
    (loop $again
      (call $log_warn (call $text (i32.const 544)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $again (i32.lt_u (local.get $i) (i32.const 5000))))
    (call $answer (i32.const 512))))
