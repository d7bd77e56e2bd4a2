;; Behaves three times, which it counts in a global, and then loops for ever.
;; Each call is the first one, so it never attacks.
;; expect: check_permissions ok
(module
  ;;include common.inc
  ;;include verbs.inc
  (global $n (mut i32) (i32.const 0))
  (func $next (result i32) (global.set $n (i32.add (global.get $n) (i32.const 1))) (global.get $n))
  (func $check_permissions (result i32)
    (if (i32.gt_u (call $next) (i32.const 3)) (then (loop $again (br $again))))
    (call $answer (i32.const 512))))
