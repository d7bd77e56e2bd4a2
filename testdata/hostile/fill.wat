;; Fills its memory again and again, by straight code in a recursion.
;; expect: check_permissions fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $down (param $n i32)
    (memory.fill (i32.const 65536) (local.get $n) (i32.const 900000))
    (memory.copy (i32.const 65536) (i32.const 65537) (i32.const 900000))
    (memory.fill (i32.const 65536) (local.get $n) (i32.const 900000))
    (if (i32.eqz (local.get $n)) (then (return)))
    (call $down (i32.sub (local.get $n) (i32.const 1)))
    (call $down (i32.sub (local.get $n) (i32.const 1))))
  (func $check_permissions (result i32)
    (drop (memory.grow (i32.const 15)))
    (call $down (i32.const 40))
    (call $answer (i32.const 512))))
