;; Reads eight bytes that end behind the last block.
;; expect: check_permissions trap "load_u64"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (call $text (i32.const 512)))
    (drop (call $load_u64 (i64.add (call $alloc (i64.const 8)) (i64.const 1))))
    (call $answer (i32.const 512))))
