;; Copies its memory onto itself, one byte aside, in one straight line.
;; As straight_fills, and the charge must be the length, not the change.
;; expect: check_permissions fuel
;; limits: memory_pages=1024
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (local $n i32)
    (if (i32.eq (memory.grow (i32.const 1023)) (i32.const -1)) (then (drop (memory.grow (i32.const 255)))))
    (local.set $n (i32.shl (i32.sub (memory.size) (i32.const 2)) (i32.const 16)))
  ;;repeat 1 500
    (memory.copy (i32.const 65536) (i32.const 65537) (local.get $n))
    (memory.copy (i32.const 65537) (i32.const 65536) (local.get $n))
  ;;end
    (call $answer (i32.const 512))))
