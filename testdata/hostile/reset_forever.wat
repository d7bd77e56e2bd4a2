;; Takes all of the host memory back and allocates it again, for ever: the host would
;; clear megabytes each time. It does not: no offset is used twice in a call, so this
;; ends when the host memory does.
;; expect: check_permissions trap
(module
  (import "extism:host/env" "reset" (func $reset))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (loop $again
      (call $reset)
      (call $store_u8 (i64.add (call $alloc (i64.const 8000000)) (i64.const 7999999)) (i32.const 1))
      (br $again))
    (i32.const 0)))
