;; Fills all of its memory a thousand times, in one straight line.
;; Each fill is one instruction, native code without a way back to Go: the host's
;; deadline and its collector waited for all of them.
;; expect: check_permissions fuel
;; limits: memory_pages=1024
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (local $n i32)
    (if (i32.eq (memory.grow (i32.const 1023)) (i32.const -1)) (then (drop (memory.grow (i32.const 255)))))
    (local.set $n (i32.shl (i32.sub (memory.size) (i32.const 1)) (i32.const 16)))
  ;;repeat 1 1000
    (memory.fill (i32.const 65536) (i32.const @i@) (local.get $n))
  ;;end
    (call $answer (i32.const 512))))
