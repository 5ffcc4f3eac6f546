/** The part of the package that takes an instance and a memory; the package has types for its loader only. */
declare module "argon2id/lib/argon2id.js" {
  import type { Argon2idParams } from "argon2id/lib/setup.js";

  export default function argon2id(
    params: Argon2idParams,
    context: { instance: WebAssembly.Instance; memory: WebAssembly.Memory },
  ): Uint8Array;
}
