;; Fills all of its memory with randomness and answers what comes out.
;; expect: check_permissions ok|output|trap|fuel
(module
  (import "wasi_snapshot_preview1" "random_get" (func $random_get (param i32 i32) (result i32)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (call $random_get (i32.const 0) (i32.const 65536)))
    (call $answer (i32.const 512))))
