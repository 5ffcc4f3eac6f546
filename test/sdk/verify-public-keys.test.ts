/** postern/verify with Ed25519 public keys: `v1a` signatures, rotation, and no confusion of the two algorithms. */
import { describe, expect, test } from "vitest";
import { fromBase64, toBase64 } from "../../src/base/crypto/encoding";
import { verifyDelivery } from "../../src/sdk/verify";
import { headersOf } from "../../src/webhooks/delivery/send";
import { newSigningKey, signedWith, signWithSecret, verdictOn } from "../support/signing";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

describe("a v1a signature", () => {
  const vectors = [
    // The signature in the example of the specification, section "Webhook headers"; its key is in the tests of Svix.
    {
      seed: "6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbc=",
      publicKey: "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=",
      signature: "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==",
    },
    // The test of the official Go library.
    {
      seed: "VEVTVFNJR05JTkdLRVlET05PVFVTRVRISVNGT1JBTlk=",
      publicKey: "whpk_ZlN4eg7dSSqi0moX9hQUk3orrOouK3QVQSlJa248c/g=",
      signature: "v1a,tQ9V2XOqn7jL/DQenEFpqIugdBVtiMmER5mhSkXBNwM0mkATuDe6KYYUuxqtaiHeYGb7KaaBRdM5WqyeFiL8Ag==",
    },
  ] as const;
  const [id, seconds, body] = ["msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, '{"test": 2432232314}'] as const;

  test.each(vectors)("of the published test vectors is accepted under $publicKey", async ({ publicKey, signature }) => {
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": String(seconds),
      "webhook-signature": signature,
      "x-webhook-event": "test",
    };
    const clock = { nowMs: seconds * 1000 };
    expect(await verdictOn({ headers, body }, publicKey, clock)).toBe("accepted");
    expect(await verdictOn({ headers, body: '{"test": 2432232315}' }, publicKey, clock)).toBe("SIGNATURE_MISMATCH");
  });

  test.each(vectors)("that a delivery carries is the published one for the key of $publicKey", async (vector) => {
    // An Ed25519 private key in PKCS #8 is this prefix and the seed (RFC 8410, section 7).
    const prefix = fromBase64("MC4CAQAwBQYDK2VwBCIEIA==");
    const privateKey = toBase64(new Uint8Array([...prefix, ...fromBase64(vector.seed)]));
    const keys = { secret: null, formerSecrets: [], privateKeys: [privateKey] };
    const contentType = "application/json";
    const delivery = {
      deliveryId: id,
      eventType: "test",
      body,
      keys,
      contentType,
      correlationId: null,
      replayId: null,
    };
    const headers = await headersOf(delivery, seconds * 1000);
    expect(headers["webhook-signature"]).toBe(vector.signature);
  });

  test("is accepted during a rotation whether the old or the new key made it", async () => {
    const [old, next, other] = await Promise.all([newSigningKey(), newSigningKey(), newSigningKey()]);
    const both = [next.publicKey, old.publicKey];
    for (const key of [old, next]) expect(await verdictOn(signedWith(await key.sign()), both)).toBe("accepted");
    expect(await verdictOn(signedWith(await next.sign(), await old.sign()), old.publicKey)).toBe("accepted");
    expect(await verdictOn(signedWith(await other.sign()), both)).toBe("SIGNATURE_MISMATCH");
  });

  test("is accepted beside a v1 signature, under the secret as under the public key", async () => {
    const key = await newSigningKey();
    const request = signedWith(await signWithSecret(SECRET), await key.sign());
    for (const keys of [SECRET, key.publicKey, [SECRET, key.publicKey], ["other", key.publicKey]]) {
      expect(await verdictOn(request, keys)).toBe("accepted");
    }
  });

  test("covers the id, the timestamp and the body", async () => {
    const { publicKey, sign } = await newSigningKey();
    const signatures = await Promise.all([sign("msg_2"), sign("msg_1", 1_800_000_001), sign("msg_1", undefined, "{}")]);
    expect(await verdictOn(signedWith(...signatures), publicKey)).toBe("SIGNATURE_MISMATCH");
  });

  test.each(["v1a,", "v1a,AAAA", "v1a,not base64", `v1a,${"A".repeat(88)}`, "v1a", "v1A,AAAA"])(
    "that is malformed is refused: %j",
    async (signature) => {
      const { publicKey } = await newSigningKey();
      expect(await verdictOn(signedWith(signature), publicKey)).toBe("SIGNATURE_MISMATCH");
    },
  );

  test("is tried among the first 32 of a header", async () => {
    const { publicKey, sign } = await newSigningKey();
    const others = (count: number) => Array<string>(count).fill("v1,bm9uZQ==");
    expect(await verdictOn(signedWith(...others(31), await sign()), publicKey)).toBe("accepted");
    expect(await verdictOn(signedWith(...others(32), await sign()), publicKey)).toBe("SIGNATURE_MISMATCH");
  });
});

describe("the two algorithms are not confused", () => {
  test("a v1a signature never matches a secret", async () => {
    const { sign } = await newSigningKey();
    const hmac = (await signWithSecret(SECRET)).replace("v1,", "v1a,");
    expect(await verdictOn(signedWith(await sign(), hmac), SECRET)).toBe("SIGNATURE_MISMATCH");
  });

  test("a v1 signature made with the public key as the secret never matches", async () => {
    const { publicKey } = await newSigningKey();
    const bytes = publicKey.slice("whpk_".length);
    const forged = await Promise.all([publicKey, `whsec_${bytes}`, bytes].map(signWithSecret));
    expect(fromBase64(bytes).length).toBe(32);
    expect(await verdictOn(signedWith(...forged), publicKey)).toBe("SIGNATURE_MISMATCH");
    expect(await verdictOn(signedWith(...forged), [publicKey, SECRET])).toBe("SIGNATURE_MISMATCH");
  });

  test("an Ed25519 signature labelled v1 never matches", async () => {
    const { publicKey, sign } = await newSigningKey();
    const labelled = (await sign()).replace("v1a,", "v1,");
    expect(await verdictOn(signedWith(labelled), publicKey)).toBe("SIGNATURE_MISMATCH");
  });
});

describe("verifyDelivery throws a TypeError for", () => {
  const bytes = (length: number) => btoa("a".repeat(length));
  test.each([
    ["an empty list of keys", []],
    ["an empty key", ["a", ""]],
    ["more than 5 keys", ["a", "b", "c", "d", "e", "f"]],
    ["a public key of 31 bytes", `whpk_${bytes(31)}`],
    ["a public key of 33 bytes", ["a", `whpk_${bytes(33)}`]],
    ["a public key that is not base64", "whpk_not base64!"],
    ["a private key", `whsk_${bytes(32)}`],
  ])("%s", async (_, keys) => {
    await expect(verifyDelivery(signedWith("v1,AAAA"), keys)).rejects.toBeInstanceOf(TypeError);
  });

  test("the scheme of the body with public keys alone", async () => {
    const { publicKey } = await newSigningKey();
    for (const keys of [publicKey, { jwks: "https://keys.example/" }]) {
      await expect(verifyDelivery(signedWith("v1,AAAA"), keys, { scheme: "body" })).rejects.toBeInstanceOf(TypeError);
    }
  });
});
