;; Sets an output that allows, and traps.
;; expect: check_permissions trap "unreachable"
(module
  ;;include common.inc
  ;;include verbs.inc
  (data (i32.const 1024) "{\22behavior\22:\22allow\22}\00")
  (func $check_permissions (result i32)
    (drop (call $answer (i32.const 1024)))
    unreachable))
