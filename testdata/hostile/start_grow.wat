;; Grows and touches all the memory it may have in its start function, then behaves.
;; Each instance costs as much; idle ones must not keep it for ever.
;; expect: check_permissions ok
(module
  ;;include common.inc
  ;;include verbs.inc
  (start $s)
  (func $s (local $p i32)
    (drop (memory.grow (i32.const 255)))
    (local.set $p (i32.const 65536))
    (loop $more
      (i32.store8 (local.get $p) (i32.const 1))
      (local.set $p (i32.add (local.get $p) (i32.const 4096)))
      (br_if $more (i32.lt_u (local.get $p) (i32.const 16777216)))))
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
