;; Writes at -8: an offset that wraps round when eight is added.
;; expect: check_permissions trap "store_u64"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (call $text (i32.const 512)))
    (call $store_u64 (i64.const -8) (i64.const -1))
    (call $answer (i32.const 512))))
