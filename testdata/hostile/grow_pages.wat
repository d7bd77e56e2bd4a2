;; Grows its memory by one page 1024 times; a host that moves the memory each time
;; copies 32 GiB. It reaches its limit and answers, each time from the beginning.
;; expect: check_permissions ok
;; limits: memory_pages=1024
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (local $i i32)
    (if (i32.ne (memory.size) (i32.const 1)) (then (return (call $fail (i32.const 672)))))
    (loop $more
      (drop (memory.grow (i32.const 1)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $i) (i32.const 1024))))
    (if (i32.ne (memory.size) (i32.const 1024)) (then (return (i32.const 8))))
    (call $answer (i32.const 512))))
