;; A thousand blocks, one in the other, and a branch out of all of them, for ever.
;; expect: check_permissions fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    loop $again
  ;;repeat 1 1000
    block
  ;;end
    br 1000
  ;;repeat 1 1000
    end
  ;;end
    end
    i32.const 0))
