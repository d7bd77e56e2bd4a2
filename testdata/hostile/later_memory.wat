;; Behaves three times, which it counts in its memory, and then loops for ever.
;; Each call is the first one, so it never attacks.
;; expect: check_permissions ok
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $next (result i32)
    (i32.store (i32.const 60000) (i32.add (i32.load (i32.const 60000)) (i32.const 1)))
    (i32.load (i32.const 60000)))
  (func $check_permissions (result i32)
    (if (i32.gt_u (call $next) (i32.const 3)) (then (loop $again (br $again))))
    (call $answer (i32.const 512))))
