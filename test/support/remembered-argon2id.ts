/**
 * argon2id as the package computes it, each tag once, and after a few of them with little memory: a hash takes 40 ms of
 * CPU, and most tests need only somebody with a password. vitest.config.ts puts this in the place of the package's
 * function. Hashers of other parameters than ours, and those that compute one hash, compute what they are asked for.
 * Hashes that were not made in this run need `computeWholeTags`.
 */
import type { Argon2idParams } from "argon2id/lib/setup.js";
import argon2id from "argon2id-of-the-package";
import { toHex } from "../../src/base/crypto/encoding";

/** So many tags of a hasher are as the package computes them. */
const WHOLE = 4;
/** Those of src/base/crypto/passwords.ts. */
const OURS = { memorySize: 19_456, passes: 2 };
const LITTLE = { memorySize: 64, passes: 1 };

/** Parameters whose tag takes little work and still depends on everything. */
function shortened(params: Argon2idParams): Argon2idParams {
  const isOurs = params.memorySize === OURS.memorySize && params.passes === OURS.passes;
  return isOurs ? { ...params, ...LITTLE } : params;
}

let isWhole = false;

/** Whether new tags are computed with all of their memory, as those of a recorded hash were. */
export function computeWholeTags(whole: boolean): void {
  isWhole = whole;
}

/** By the memory of the hasher, so that a new hasher computes. */
const known = new WeakMap<WebAssembly.Memory, Map<string, Uint8Array>>();

export default function remembered(params: Argon2idParams, context: Parameters<typeof argon2id>[1]): Uint8Array {
  const tags = known.get(context.memory) ?? new Map<string, Uint8Array>();
  known.set(context.memory, tags);
  const key = JSON.stringify(params, (_name, value: unknown) => (value instanceof Uint8Array ? toHex(value) : value));
  const tag = tags.get(key) ?? argon2id(isWhole || tags.size < WHOLE ? params : shortened(params), context);
  tags.set(key, tag);
  return tag.slice();
}
