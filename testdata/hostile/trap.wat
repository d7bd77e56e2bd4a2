;; Traps.
;; expect: check_permissions trap "unreachable"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    unreachable))
