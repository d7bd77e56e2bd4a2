;; A br_table of ten thousand targets, taken for ever.
;; expect: check_permissions fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (local $i i32)
    (loop $again
      (block $c (block $b (block $a
        (br_table
  ;;repeat 1 2500
          $a $b $c $again
  ;;end
          $again (local.tee $i (i32.add (local.get $i) (i32.const 1))))
      )))
      (br $again))
    (i32.const 0)))
