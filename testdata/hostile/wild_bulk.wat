;; Bulk instructions whose lengths are far larger than the memory, or nearly 2^32.
;; A host that charges the length in 32 bits lets it wrap round: the debt is a gift.
;; It ends at the first one: either it cannot pay, or it is out of bounds.
;; expect: check_permissions fuel|trap
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (memory.fill (i32.const 0) (i32.const 0) (i32.const -1))
    (loop $again (br $again))
    (i32.const 0)))
