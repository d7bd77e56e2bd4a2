;; Grows its table to the limit and fills it for ever.
;; Each fill is one instruction that writes half a megabyte of the host's heap.
;; expect: check_permissions fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (table $t 1 funcref)
  (func $check_permissions (result i32)
    (drop (table.grow $t (ref.null func) (i32.const 60000)))
    (loop $again
      (table.fill $t (i32.const 0) (ref.null func) (table.size $t))
      (br $again))
    (i32.const 0)))
