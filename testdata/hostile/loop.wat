;; Loops for ever.
;; expect: check_permissions fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (loop $again (br $again))
    (i32.const 0)))
