;; Traps when it is initialised.
;; expect: any trap
(module
  ;;include common.inc
  ;;include verbs.inc
  (func (export "_initialize") unreachable)
  (func $check_permissions (result i32)
    (call $passthrough)))
