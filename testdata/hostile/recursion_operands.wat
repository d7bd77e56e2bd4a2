;; Calls itself with two hundred numbers waiting on the operand stack.
;; expect: check_permissions stack
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $a (param i64) (result i64)
  ;;repeat 1 200
    (i64.mul (local.get 0) (i64.const @i@))
  ;;end
    (call $a (local.get 0))
  ;;repeat 1 200
    i64.add
  ;;end
  )
  (func $check_permissions (result i32) (i32.wrap_i64 (call $a (i64.const 3)))))
