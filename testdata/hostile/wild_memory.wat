;; Reads its own memory at 2^32-1 with an offset of 2^32-1.
;; expect: check_permissions trap "out of bounds memory access"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32) (i32.wrap_i64 (i64.load offset=4294967295 (i32.const -1)))))
