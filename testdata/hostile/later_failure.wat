;; Counts in its memory and leaves the count behind by a trap in check_read_only.
;; Each call is the first one, so it never attacks.
;; expect: check_permissions ok
;; expect: check_read_only trap "unreachable"
(module
  ;;include common.inc
  (export "describe" (func $describe))
  (export "check_permissions" (func $check_permissions))
  (export "check_read_only" (func $leave))
  (export "match_rule" (func $no_match))
  (export "generate_suggestions" (func $no_rules))
  (func $next (result i32)
    (i32.store (i32.const 60000) (i32.add (i32.load (i32.const 60000)) (i32.const 4)))
    (i32.sub (i32.load (i32.const 60000)) (i32.const 4)))
  (func $leave (result i32) (drop (call $next)) unreachable)
  (func $check_permissions (result i32)
    (if (i32.gt_u (call $next) (i32.const 3)) (then (loop $again (br $again))))
    (call $answer (i32.const 512))))
