;; Calls itself through a table for ever.
;; expect: check_permissions stack
(module
  ;;include common.inc
  ;;include verbs.inc
  (type $self (func (param i32) (result i32)))
  (table $t 1 funcref)
  (elem (table $t) (i32.const 0) func $a)
  (func $a (type $self) (i32.add (i32.const 1) (call_indirect $t (type $self) (local.get 0) (i32.const 0))))
  (func $check_permissions (result i32) (call $a (i32.const 0))))
