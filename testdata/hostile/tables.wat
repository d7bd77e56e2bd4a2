;; Sixteen tables, as many as there may be, each grown to its limit, and put back
;; after each call.
;; expect: check_permissions ok
(module
  ;;include common.inc
  ;;include verbs.inc
  ;;repeat 1 16
  (table $t@i@ 1 funcref)
  ;;end
  (func $check_permissions (result i32)
  ;;repeat 1 16
    (drop (table.grow $t@i@ (ref.null func) (i32.const 65535)))
    (if (i32.gt_u (table.size $t@i@) (i32.const 65536)) (then (return (i32.const 9))))
  ;;end
    (call $answer (i32.const 512))))
