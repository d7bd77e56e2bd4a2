;; Sets variables of ever new names for ever. They live in the host and end with the call.
;; expect: check_permissions fuel|trap|memory
(module
  (import "extism:host/env" "var_set" (func $var_set (param i64 i64)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (local $k i64) (local $i i64)
    (loop $again
      (local.set $k (call $alloc (i64.const 8)))
      (local.set $i (i64.add (local.get $i) (i64.const 1)))
      (call $store_u64 (local.get $k) (i64.or (local.get $i) (i64.const 0x4040404040404040)))
      (call $var_set (local.get $k) (local.get $k))
      (br $again))
    (i32.const 0)))
