;; Calls itself with a hundred parameters and a hundred results, which go by the stack.
;; expect: check_permissions stack
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $a
  ;;repeat 1 100
    (param i64)
  ;;end
  ;;repeat 1 100
    (result i64)
  ;;end
  ;;repeat 1 100
    (i64.const @i@)
  ;;end
    (call $a))
  (func $check_permissions (result i32)
  ;;repeat 1 100
    (i64.const @i@)
  ;;end
    (call $a)
  ;;repeat 1 100
    drop
  ;;end
    (i32.const 0)))
