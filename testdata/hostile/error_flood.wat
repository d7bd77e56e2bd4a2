;; An error text of 8 MiB.
;; expect: check_permissions code
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (local $o i64) (local $i i64)
    (local.set $o (call $alloc (i64.const 8000000)))
    (loop $more
      (call $store_u8 (i64.add (local.get $o) (local.get $i)) (i32.const 65))
      (local.set $i (i64.add (local.get $i) (i64.const 1)))
      (br_if $more (i64.lt_u (local.get $i) (i64.const 100000))))
    (call $error_set (local.get $o))
    (i32.const 1)))
