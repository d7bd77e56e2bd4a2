;; As explosion, but each function begins with the head of a loop that nothing
;; goes round: whoever asks for fuel there, and not at the entry, because loops
;; ask anyway, never asks once nothing is to be paid at such a head.
;; expect: check_permissions fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  ;;repeat 0 59
  (func $f@i@ (loop) (call $f@i+1@) (call $f@i+1@))
  ;;end
  (func $f60)
  (func $check_permissions (result i32)
    (call $f0)
    (call $answer (i32.const 512))))
