;; Grows its table as far as it may and answers; with 65,536 entries or more it fails.
;; expect: check_permissions ok
(module
  ;;include common.inc
  ;;include verbs.inc
  (table $t 1 funcref)
  (func $check_permissions (result i32)
    (block $full (loop $more
      (br_if $full (i32.eq (table.grow $t (ref.null func) (i32.const 1024)) (i32.const -1)))
      (if (i32.gt_u (table.size $t) (i32.const 65536)) (then (return (i32.const 9))))
      (br $more)))
    (call $answer (i32.const 512))))
