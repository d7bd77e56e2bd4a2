;; Calls itself with a hundred vectors alive: 16 bytes each.
;; expect: check_permissions stack
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $a (param v128) (result v128)
  ;;repeat 1 100
    (i64x2.add (local.get 0) (v128.const i64x2 @i@ @i@))
  ;;end
    (call $a (local.get 0))
  ;;repeat 1 100
    i64x2.add
  ;;end
  )
  (func $check_permissions (result i32) (i64x2.extract_lane 0 (call $a (v128.const i64x2 3 4))) i32.wrap_i64))
