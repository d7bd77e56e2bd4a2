;; Frees blocks twice, and some that never were; that is harmless.
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (local $a i64)
    (local.set $a (call $alloc (i64.const 8)))
    (call $free (local.get $a))
    (call $free (local.get $a))
    (call $free (i64.const 0))
    (call $free (i64.const -1))
    (call $free (call $input_offset))
    (if (i64.ne (call $input_length) (i64.const 0)) (then (return (i32.const 8))))
    (if (i64.ne (call $length (local.get $a)) (i64.const 0)) (then (return (i32.const 9))))
    (call $answer (i32.const 512))))
