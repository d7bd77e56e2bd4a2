;; Goes almost as deep as it may, comes back, and does so again, for ever: the stack
;; it gave back must be there again, and fuel ends it.
;; expect: check_permissions fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $down (param $n i32)
    (if (i32.eqz (local.get $n)) (then (return)))
    (call $down (i32.sub (local.get $n) (i32.const 1))))
  (func $check_permissions (result i32)
    (loop $again
      (call $down (i32.const 10000))
      (br $again))
    (i32.const 0)))
