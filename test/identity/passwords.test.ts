/** The password hasher: its memory, and passwords that the library refuses. */
import { expect, test } from "vitest";
import shipped from "../../src/base/crypto/argon2id.wasm";
import { hashPassword, verifyPassword } from "../../src/base/crypto/passwords";
import { call, newEmail, signUp } from "../support/client";

const MIB = 1024 * 1024;

test("a password of one control character is wrong, not an error", async () => {
  const person = await signUp();
  for (const code of [0, 1, 7, 8, 65]) {
    const password = String.fromCharCode(code);
    const known = await call("POST", "/auth/login", { body: { email: person.email, password } });
    const unknown = await call("POST", "/auth/login", { body: { email: newEmail(), password } });
    const change = await call("POST", "/auth/change-password", {
      token: person.token,
      body: { currentPassword: password, newPassword: "a much better password" },
    });
    expect([code, known.status, unknown.status, change.status]).toEqual([code, 401, 401, 401]);
  }
});

test("the hasher's memory is 19 MiB and does not grow with hashes", async () => {
  const memories: WebAssembly.Memory[] = [];
  const Original = WebAssembly.Memory;
  WebAssembly.Memory = class extends Original {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      super(descriptor);
      memories.push(this);
    }
  };
  try {
    const fresh = (await import(
      "../../src/base/crypto/argon2id?fresh" as string
    )) as typeof import("../../src/base/crypto/argon2id");
    const salt = new Uint8Array(16);
    const params = { salt, parallelism: 1, passes: 2, memorySize: 19_456, tagLength: 32 };
    for (let round = 0; round < 3; round++) {
      await fresh.computeTag({ ...params, password: new Uint8Array(8).fill(round) });
    }
  } finally {
    WebAssembly.Memory = Original;
  }
  expect(memories.length).toBe(1);
  expect(memories[0]?.buffer.byteLength).toBeLessThan(20 * MIB);
});

test("a failed start of the hasher is not kept", async () => {
  const instantiate = WebAssembly.instantiate;
  const fresh = (await import(
    "../../src/base/crypto/argon2id?failing" as string
  )) as typeof import("../../src/base/crypto/argon2id");
  const params = {
    password: new Uint8Array(8),
    salt: new Uint8Array(16),
    parallelism: 1,
    passes: 1,
    memorySize: 64,
    tagLength: 32,
  };
  WebAssembly.instantiate = (() => Promise.reject(new Error("out of memory"))) as typeof instantiate;
  try {
    await expect(fresh.computeTag(params)).rejects.toThrow("out of memory");
  } finally {
    WebAssembly.instantiate = instantiate;
  }
  expect((await fresh.computeTag(params)).length).toBe(32);
});

test("hashes differ for one password and verify it only", async () => {
  const [first, second] = [await hashPassword("correct horse"), await hashPassword("correct horse")];
  expect(first).not.toBe(second);
  expect(await verifyPassword("correct horse", first)).toEqual({ correct: true, outdated: false });
  expect(await verifyPassword("incorrect horse", first)).toEqual({ correct: false, outdated: false });
  expect(WebAssembly.Module.imports(shipped)).toEqual([{ module: "env", name: "memory", kind: "memory" }]);
});
