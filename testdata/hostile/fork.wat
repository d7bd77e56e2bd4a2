;; Calls itself twice to a depth of 60, without a loop: it would take a lifetime.
;; expect: check_permissions fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $down (param $n i32)
    (if (i32.eqz (local.get $n)) (then (return)))
    (call $down (i32.sub (local.get $n) (i32.const 1)))
    (call $down (i32.sub (local.get $n) (i32.const 1))))
  (func $check_permissions (result i32)
    (call $down (i32.const 60))
    (call $answer (i32.const 512))))
