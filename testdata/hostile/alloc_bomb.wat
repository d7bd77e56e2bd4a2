;; Allocates host memory until there is none, then answers.
;; expect: check_permissions ok
;; limits: fuel=200000000
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (block $full (loop $more
      (br_if $full (i64.eqz (call $alloc (i64.const 65536))))
      (br $more)))
    (call $answer (i32.const 512))))
