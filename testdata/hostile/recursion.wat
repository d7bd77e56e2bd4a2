;; Calls itself until the stack is full.
;; expect: check_permissions stack "calls too deep: more than 8192 KiB of stack"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (call $check_permissions)
    (drop)
    (i32.const 0)))
