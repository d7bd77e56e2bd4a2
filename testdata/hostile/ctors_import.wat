;; Its __wasm_call_ctors is an import: called directly, a trap in it would end the host.
;; expect: load "export __wasm_call_ctors: is the import"
(module
  ;;include common.inc
  ;;include verbs.inc
  (export "__wasm_call_ctors" (func $proc_exit))
  (func $check_permissions (result i32) (call $answer (i32.const 512))))
