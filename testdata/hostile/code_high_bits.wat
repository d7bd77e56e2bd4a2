;; Returns 0 with all ones where the upper half of a register is: it is a 0.
;; A host that reads 64 bits for an i32 gets this wrong one way or the other.
;; expect: check_permissions ok
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (call $answer (i32.const 512)))
    (i32.wrap_i64 (i64.const 0xffffffff00000000))))
