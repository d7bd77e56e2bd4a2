;; A table.fill of 2^32-1 entries. As wild_bulk.
;; expect: check_permissions fuel|trap
(module
  ;;include common.inc
  ;;include verbs.inc
  (table $t 10 funcref)
  (func $check_permissions (result i32)
    (table.fill $t (i32.const 0) (ref.null func) (i32.const -1))
    (loop $again (br $again))
    (i32.const 0)))
