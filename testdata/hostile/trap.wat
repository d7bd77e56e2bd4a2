;; Traps.
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    unreachable))
