;; An _initialize with a thousand parameters of all types, vectors and references too.
;; expect: any trap
(module
  ;;include common.inc
  ;;include verbs.inc
  (func (export "_initialize") 
  ;;repeat 1 900
    (param i64)
  ;;end
    (param v128 funcref externref))
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
