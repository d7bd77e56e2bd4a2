// Package proof has the texts with which one row of the audit is proven away from the store: a
// checkpoint signed by a daemon, and a file with a row, its place in the tree, and the checkpoint.
//
// Everything here verifies with public keys alone, without a daemon, a store or a network. The
// formats are those of the field: C2SP tlog-checkpoint, signed-note and tlog-cosignature, and the
// tree of RFC 6962. Package notary makes them.
//
// It may import the store's types and package passkey; the API, the client and the CLI use it.
package proof
