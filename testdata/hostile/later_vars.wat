;; Counts in a variable of the host.
;; Each call is the first one, so it never attacks.
;; expect: check_permissions ok
(module
  (import "extism:host/env" "var_get" (func $var_get (param i64) (result i64)))
  (import "extism:host/env" "var_set" (func $var_set (param i64 i64)))
  ;;include common.inc
  ;;include verbs.inc
  (func $next (result i32)
    (local $v i64)
    (local.set $v (call $var_get (call $text (i32.const 640))))
    (call $var_set (call $text (i32.const 640)) (call $text (i32.const 672)))
    (select (i32.const 0) (i32.const 9) (i64.eqz (local.get $v))))
  (func $check_permissions (result i32)
    (if (i32.gt_u (call $next) (i32.const 3)) (then (loop $again (br $again))))
    (call $answer (i32.const 512))))
