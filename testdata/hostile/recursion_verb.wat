;; A verb that calls itself by an own export, through the table.
;; expect: check_permissions stack
(module
  ;;include common.inc
  ;;include verbs.inc
  (type $verb (func (result i32)))
  (table (export "t") 1 1 funcref)
  (elem (i32.const 0) func $check_permissions)
  (func $check_permissions (result i32)
    (i32.add (call_indirect (type $verb) (i32.const 0)) (i32.const 1))))
