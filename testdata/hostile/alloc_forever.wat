;; Allocates single bytes of host memory for ever; each needs the host's book-keeping.
;; expect: check_permissions fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (loop $again (drop (call $alloc (i64.const 1))) (br $again))
    (i32.const 0)))
