;; Its check_permissions is WASI's sched_yield, which has the right signature and
;; returns 0.
;; expect: load "sched_yield: a tool module must define it"
(module
  (import "wasi_snapshot_preview1" "sched_yield" (func $sched_yield (result i32)))
  ;;include common.inc
  (export "describe" (func $describe))
  (export "check_read_only" (func $not_read_only))
  (export "match_rule" (func $no_match))
  (export "generate_suggestions" (func $no_rules))
  (export "check_permissions" (func $sched_yield)))
