;; A loop that is nothing but a br_table back to its own head.
;; A meter that charges br and br_if only never sees it.
;; expect: check_permissions fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (loop $again (br_table $again $again (i32.const 0)))
    (i32.const 0)))
