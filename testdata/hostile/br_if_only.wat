;; A loop that ends in a br_if, and one that goes back from the depth of blocks.
;; expect: check_permissions fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (loop $again
      (block (block (block (block
        (br_if $again (i32.const 1)))))))
    (i32.const 0)))
