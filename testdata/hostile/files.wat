;; Looks for files, directories, sockets, arguments and environment; there are none.
;; expect: check_permissions ok
(module
  (import "wasi_snapshot_preview1" "fd_prestat_get" (func $fd_prestat_get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_open" (func $path_open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "environ_sizes_get" (func $environ_sizes_get (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "args_sizes_get" (func $args_sizes_get (param i32 i32) (result i32)))
  ;;include common.inc
  ;;include verbs.inc
  (func $check_permissions (result i32)
    (local $fd i32)
    (local.set $fd (i32.const 3))
    (loop $more
      (if (i32.eqz (call $fd_prestat_get (local.get $fd) (i32.const 3000))) (then (return (i32.const 3))))
      (if (i32.eqz (call $path_open (local.get $fd) (i32.const 1) (i32.const 700) (i32.const 11) (i32.const 0) (i64.const -1) (i64.const -1) (i32.const 0) (i32.const 3000))) (then (return (i32.const 4))))
      (local.set $fd (i32.add (local.get $fd) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $fd) (i32.const 64))))
    (drop (call $environ_sizes_get (i32.const 3000) (i32.const 3004)))
    (if (i32.load (i32.const 3000)) (then (return (i32.const 5))))
    (drop (call $args_sizes_get (i32.const 3000) (i32.const 3004)))
    (if (i32.load (i32.const 3000)) (then (return (i32.const 6))))
    (call $answer (i32.const 512)))
  (data (i32.const 700) "/etc/passwd"))
