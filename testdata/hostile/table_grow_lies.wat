;; Grows its table by 2^32-1 entries for ever, which always fails.
;; What fails must cost all the same.
;; expect: check_permissions fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (table $t 1 funcref)
  (func $check_permissions (result i32)
    (loop $again
      (drop (table.grow $t (ref.null func) (i32.const -1)))
      (br $again))
    (i32.const 0)))
