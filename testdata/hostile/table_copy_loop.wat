;; Grows its table to the limit and copies it onto itself for ever.
;; expect: check_permissions fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (table $t 1 funcref)
  (func $check_permissions (result i32)
    (drop (table.grow $t (ref.null func) (i32.const 60000)))
    (loop $again
      (table.copy $t $t (i32.const 0) (i32.const 1) (i32.const 60000))
      (br $again))
    (i32.const 0)))
