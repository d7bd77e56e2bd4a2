;; Sets a global it does not have: the one where the host counts its fuel.
;; unchecked
;; expect: load "there is no global 0"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (global.set 0 (i64.const 0x7fffffffffffffff))
    (loop $again (br $again))
    (i32.const 0)))
