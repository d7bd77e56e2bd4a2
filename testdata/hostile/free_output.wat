;; Frees its output after output_set, and sets a length of more than the block.
;; The output is a range of host memory, not a block: what is there is what is answered.
;; expect: check_permissions ok
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (local $o i64)
    (local.set $o (call $text (i32.const 512)))
    (call $output_set (local.get $o) (call $length (local.get $o)))
    (call $free (local.get $o))
    (i32.const 0)))
