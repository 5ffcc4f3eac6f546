/** A secret key that could be guessed offline is refused, one of random bytes is not. */
import { describe, expect, test } from "vitest";
import { isGuessableKey } from "../../src/base/crypto/guessable-key";

const bytes = (count: number) => crypto.getRandomValues(Buffer.alloc(count));
const RUNS = 2_000;

describe("a secret key is refused when it", () => {
  test.each([
    ["is a passphrase", "correct horse battery staple and another one"],
    ["is words with separators", "my-production-secret-key-for-postern-2026"],
    ["is words in camel case", "MySuperSecretPostgresPassword2024!!!"],
    ["has few characters", "0000000000000000000000000000000000000001"],
    ["repeats a pattern", "Xk7#Xk7#Xk7#Xk7#Xk7#Xk7#Xk7#Xk7#Xk7#"],
    ["counts up", "abcdefghijklmnopqrstuvwxyz0123456789"],
  ])("%s", (_reason, key) => {
    expect(isGuessableKey(key)).toBe(true);
  });
});

describe("a secret key is accepted when it is random, as", () => {
  // About one in 10,000 is refused by chance.
  test.each([
    ["hex", () => bytes(32).toString("hex")],
    ["base64", () => bytes(32).toString("base64")],
    ["base64url", () => bytes(48).toString("base64url")],
  ])("%s", (_encoding, make) => {
    const refused = Array.from({ length: RUNS }, make).filter(isGuessableKey);
    expect(refused.length).toBeLessThan(RUNS / 100);
  });
});
