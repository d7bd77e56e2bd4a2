;; Writes an element segment into its table for ever, in a recursion without a loop.
;; expect: check_permissions fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (table $t 100 funcref)
  (elem $e func
  ;;repeat 1 100
    $down
  ;;end
  )
  (func $down (param $n i32)
    (table.init $t $e (i32.const 0) (i32.const 0) (i32.const 100))
    (if (i32.eqz (local.get $n)) (then (return)))
    (call $down (i32.sub (local.get $n) (i32.const 1)))
    (call $down (i32.sub (local.get $n) (i32.const 1))))
  (func $check_permissions (result i32)
    (call $down (i32.const 60))
    (i32.const 0)))
