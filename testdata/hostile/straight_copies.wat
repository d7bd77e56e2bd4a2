;; Copies half of its memory over the other, overlapping, in one straight line.
;; As straight_fills, and the charge must be the length, not the change.
;; expect: check_permissions fuel
;; limits: memory_pages=1024
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (memory.grow (i32.const 1023)))
  ;;repeat 1 500
    (memory.copy (i32.const 65536) (i32.const 65537) (i32.const 67000000))
    (memory.copy (i32.const 65537) (i32.const 65536) (i32.const 67000000))
  ;;end
    (call $answer (i32.const 512))))
