;; Fills all of its memory a thousand times, in one straight line.
;; Each fill is one instruction, native code without a way back to Go: the host's
;; deadline and its collector waited for all of them.
;; expect: check_permissions fuel
;; limits: memory_pages=1024
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (memory.grow (i32.const 1023)))
  ;;repeat 1 1000
    (memory.fill (i32.const 65536) (i32.const @i@) (i32.const 67043328))
  ;;end
    (call $answer (i32.const 512))))
