;; Copies all of its memory (64 MiB) onto itself for ever: one turn of the loop takes milliseconds.
;; A meter that charges turns lets a call run for minutes.
;; expect: check_permissions fuel
;; limits: memory_pages=1024
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (if (i32.eq (memory.grow (i32.const 1023)) (i32.const -1)) (then (drop (memory.grow (i32.const 255)))))
    (loop $again
      (memory.copy (i32.const 0) (i32.const 0) (i32.shl (memory.size) (i32.const 16)))
      (br $again))
    (i32.const 0)))
