;; Reads far outside the host memory.
;; expect: check_permissions trap "load_u64: offset 9223372036854775801, length 8 is outside the host memory"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (call $load_u64 (i64.const 0x7ffffffffffffff9)))
    (call $answer (i32.const 512))))
