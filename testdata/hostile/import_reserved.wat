;; Imports the function with which a stack overflow is told.
;; expect: load "import callgate:fuel.overflow: a tool module may import only"
(module
  (import "callgate:fuel" "overflow" (func $lie))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
