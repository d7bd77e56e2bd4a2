;; Writes to offset 0 and below the first block, where a host may keep its own words.
;; The known host lets a guest overwrite the head of its allocator.
;; expect: check_permissions trap "store_u64"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (call $text (i32.const 512)))
    (call $store_u64 (i64.const 0) (i64.const -1))
    (call $answer (i32.const 512))))
