;; Calls the entry of a table that is not there.
;; expect: check_permissions trap "table"
(module
  ;;include common.inc
  ;;include verbs.inc
  (type $verb (func (result i32)))
  (table 2 funcref)
  (func $check_permissions (result i32) (call_indirect (type $verb) (i32.const -1))))
