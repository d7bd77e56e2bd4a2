;; Writes just behind the last block there is.
;; expect: check_permissions trap "store_u8"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (call $text (i32.const 512)))
    (call $store_u8 (i64.add (call $alloc (i64.const 8)) (i64.const 8)) (i32.const 1))
    (call $answer (i32.const 512))))
