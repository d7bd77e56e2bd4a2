;; Writes eight bytes of which only the first is inside the host memory's largest size.
;; expect: check_permissions trap "store_u64"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (call $text (i32.const 512)))
    (call $store_u64 (i64.const 0x7ffffff9) (i64.const -1))
    (call $answer (i32.const 512))))
