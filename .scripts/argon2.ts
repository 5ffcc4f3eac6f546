/**
 * Writes src/base/crypto/argon2id.wasm: the SIMD build of the package `argon2id`, with a smaller initial memory.
 * The package allocates 65 MiB at once; an isolate may use 128 MB, and our hashes need 19 MiB. Run it after an update
 * of the package.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

/**
 * The import of the memory: module `env`, name `memory`, kind memory, with a maximum; then both limits in LEB128, 1040
 * and 65536 pages.
 */
const ORIGINAL = Buffer.from("03656e76066d656d6f727902019008808004", "hex");
/** The same with 305 initial pages of 64 KiB: 19,456 KiB of blocks and 10 KiB of working space. */
const PATCHED = Buffer.from("03656e76066d656d6f72790201b102808004", "hex");

const source = readFileSync(createRequire(import.meta.url).resolve("argon2id/dist/simd.wasm"));
const at = source.indexOf(ORIGINAL);
if (at < 0) throw new Error("the memory import of argon2id has changed");
PATCHED.copy(source, at);
writeFileSync(new URL("../src/base/crypto/argon2id.wasm", import.meta.url), source);
