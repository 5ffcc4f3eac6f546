/**
 * argon2id in WebAssembly. One instance per isolate: its memory is reused, since a hash runs to its end before the next
 * one starts.
 */
import argon2id from "argon2id/lib/argon2id.js";
import type { Argon2idParams } from "argon2id/lib/setup.js";
import wasm from "./argon2id.wasm";

/**
 * 64 KiB each; what the module declares (see .scripts/argon2.ts). It grows only for a hash with larger parameters than
 * ours.
 */
const INITIAL_PAGES = 305;
const MAXIMUM_PAGES = 65_536;

type Hasher = (params: Argon2idParams) => Uint8Array;

let loading: Promise<Hasher> | undefined;

/** The tag of `params`. Blocks for the whole computation, about 40 ms with our parameters. */
export async function computeTag(params: Argon2idParams): Promise<Uint8Array> {
  loading ??= load();
  const hasher = await loading;
  return hasher(params);
}

/** As `computeTag` for other parameters, in an instance that is dropped: the memory of one never shrinks. */
export async function computeTagOnce(params: Argon2idParams): Promise<Uint8Array> {
  const hasher = await instantiate();
  return hasher(params);
}

async function instantiate(): Promise<Hasher> {
  const memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: MAXIMUM_PAGES });
  const instance = await WebAssembly.instantiate(wasm, { env: { memory } });
  return (params) => argon2id(params, { instance, memory });
}

async function load(): Promise<Hasher> {
  try {
    return await instantiate();
  } catch (error) {
    // A rejection is not kept: the next hash tries again.
    loading = undefined;
    throw error;
  }
}
