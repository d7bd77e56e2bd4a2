;; Grows its memory by 4 GiB for ever, which always fails. What fails must cost too.
;; expect: check_permissions fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (loop $again (drop (memory.grow (i32.const 65535))) (br $again))
    (i32.const 0)))
