;; Has a start function that loops for ever.
;; expect: any fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (start $spin)
  (func $spin (loop $again (br $again)))
  (func $check_permissions (result i32)
    (call $passthrough)))
