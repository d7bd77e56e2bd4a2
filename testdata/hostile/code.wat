;; Returns 7 without a message.
;; expect: check_permissions code "returned 7 without a message"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (call $answer (i32.const 512)))
    (i32.const 7)))
