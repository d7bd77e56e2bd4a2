;; Calls a function it does not have: the one that the host adds.
;; unchecked
;; expect: load "there is no function 23"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (drop (call 23 (i32.const 0)))
    (i32.const 0)))
