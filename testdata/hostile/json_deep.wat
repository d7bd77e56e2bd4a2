;; Ten thousand lists, one in the other: a reader that calls itself for each is deep.
;; expect: check_permissions text
;; catalog: check_permissions refused
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (memory.copy (i32.const 1024) (i32.const 700) (i32.const 12))
    (memory.fill (i32.const 1036) (i32.const 0x5b) (i32.const 10000))
    (memory.fill (i32.const 11036) (i32.const 0x5d) (i32.const 10000))
    (i32.store8 (i32.const 21036) (i32.const 0x7d))
    (call $answer (i32.const 1024)))
  (data (i32.const 700) "{\22behavior\22:"))
