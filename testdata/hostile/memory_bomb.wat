;; Grows its memory until it may not, then traps.
;; expect: check_permissions trap "unreachable"
(module
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (block $full (loop $more
      (br_if $full (i32.eq (memory.grow (i32.const 16)) (i32.const -1)))
      (br $more)))
    unreachable))
