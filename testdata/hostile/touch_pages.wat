;; Writes one byte to every page of 16 MiB, so that all of them must be put back:
;; the host pays after the call what the guest did not pay for.
;; expect: check_permissions ok
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (local $p i32)
    (drop (memory.grow (i32.const 255)))
    (local.set $p (i32.const 4095))
    (loop $more
      (if (i32.load8_u (local.get $p)) (then (return (i32.const 9))))
      (i32.store8 (local.get $p) (i32.const 1))
      (local.set $p (i32.add (local.get $p) (i32.const 4096)))
      (br_if $more (i32.lt_u (local.get $p) (i32.const 16777216))))
    (call $answer (i32.const 512))))
