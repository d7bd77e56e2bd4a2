;; Has code after unreachable that would not be valid anywhere else, and loops for ever
;; in front of it. A rewriter that keeps a stack of types by itself stumbles.
;; expect: check_permissions fuel
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $never (result i32)
    unreachable
    (loop (br 0) i32.add select drop)
    i32.add drop br_table 0 0 0)
  (func $check_permissions (result i32)
    (loop $again (br $again))
    (call $never)))
