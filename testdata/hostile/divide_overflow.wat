;; Divides the smallest number by -1, which processors answer with a signal.
;; expect: check_permissions trap "overflow"
(module
  ;;include common.inc
  ;;include verbs.inc
  (global $m (mut i64) (i64.const -1))
  (func $check_permissions (result i32) (i32.wrap_i64 (i64.div_s (i64.const 0x8000000000000000) (global.get $m)))))
