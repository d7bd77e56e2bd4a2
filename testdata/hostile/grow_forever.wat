;; Grows its memory by nothing for ever: memory.grow leaves compiled code each time.
;; expect: check_permissions fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (loop $again (drop (memory.grow (i32.const 0))) (br $again))
    (i32.const 0)))
