;; A __wasm_call_ctors that wants parameters of every type and returns three numbers.
;; A host that calls it without looking crashes.
;; expect: check_permissions ok
(module
  ;;include common.inc
  ;;include verbs.inc
  (func (export "__wasm_call_ctors") (param i32 i64 f32 f64) (result i64 i64 i64)
    (i64.const 1) (i64.const 2) (i64.const 3))
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
