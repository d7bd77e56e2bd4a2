;; Calls through a table with another signature than the function's.
;; expect: check_permissions trap "indirect call"
(module
  ;;include common.inc
  ;;include verbs.inc
  (type $other (func (param f64) (result i32)))
  (table 2 funcref)
  (elem (i32.const 0) func $check_permissions)
  (func $check_permissions (result i32) (call_indirect (type $other) (f64.const 1) (i32.const 0))))
