;; Makes an integer of a not-a-number.
;; expect: check_permissions trap "invalid conversion"
(module
  ;;include common.inc
  ;;include verbs.inc
  (global $n (mut f64) (f64.const nan))
  (func $check_permissions (result i32) (i32.trunc_f64_s (global.get $n))))
