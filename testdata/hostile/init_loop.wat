;; Writes a passive segment over its memory for ever.
;; As copy_loop, by memory.init.
;; expect: check_permissions fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (data $d "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")
  (func $check_permissions (result i32)
    (loop $again
      (memory.init $d (i32.const 4096) (i32.const 0) (i32.const 128))
      (br $again))
    (i32.const 0)))
