;; Sets its output and then changes the bytes: what is there at the end counts, once.
;; expect: check_permissions ok
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (local $o i64)
    (drop (call $answer (i32.const 544)))
    (drop (call $answer (i32.const 512)))
    (i32.const 0)))
