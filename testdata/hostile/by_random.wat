;; Allows by a coin. The coin falls on the same side in each call.
;; expect: check_permissions text
;; catalog: check_permissions refused
(module
  (import "wasi_snapshot_preview1" "random_get" (func $random_get (param i32 i32) (result i32)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (local $i i32)
    (drop (call $random_get (i32.const 1024) (i32.const 64)))
    (loop $more
      (i32.store8 (i32.add (i32.const 1024) (local.get $i)) (i32.add (i32.const 65) (i32.and (i32.const 15) (i32.load8_u (i32.add (i32.const 1024) (local.get $i))))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $i) (i32.const 64))))
    (call $answer (i32.const 1024))))
