;; An _initialize that sets an output and an error: a host that does not begin each call
;; anew takes them for the first call's.
;; expect: check_permissions output "without output"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func (export "_initialize")
    (drop (call $answer (i32.const 512)))
    (drop (call $fail (i32.const 672))))
  (func $check_permissions (result i32) (i32.const 0)))
