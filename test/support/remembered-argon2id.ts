/**
 * argon2id as the package computes it, each tag once: a hash takes 40 ms of CPU, and most tests sign in with the same
 * password. vitest.config.ts puts this in the place of the package's function.
 */
import type { Argon2idParams } from "argon2id/lib/setup.js";
import argon2id from "argon2id-of-the-package";
import { toHex } from "../../src/base/crypto/encoding";

/** By the memory of the hasher, so that a new hasher computes. */
const known = new WeakMap<WebAssembly.Memory, Map<string, Uint8Array>>();

export default function remembered(params: Argon2idParams, context: Parameters<typeof argon2id>[1]): Uint8Array {
  const tags = known.get(context.memory) ?? new Map<string, Uint8Array>();
  known.set(context.memory, tags);
  const key = JSON.stringify(params, (_name, value: unknown) => (value instanceof Uint8Array ? toHex(value) : value));
  const tag = tags.get(key) ?? argon2id(params, context);
  tags.set(key, tag);
  return tag.slice();
}
