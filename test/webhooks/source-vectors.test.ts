/** Signatures of providers that use a public key or sign the fields of a form, with what they have published. */
import { exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { expect, test, vi } from "vitest";
import { utf8 } from "../../src/base/crypto/encoding";
import { SOURCE_OPTIONS } from "../../src/webhooks/sources/option-schemas";
import type { SourceProvider } from "../../src/webhooks/sources/schemas";
import { refusalOf } from "../../src/webhooks/sources/verify";
import { call, signUp } from "../support/client";

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const TWILIO_URL = "https://mycompany.com/myapp.php?foo=1&bar=2";
const SENDGRID_KEY =
  "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+" +
  "2fNNRaINXvVpiglSI8eNEc6wEA3F+g==";
const SENDGRID_BODY =
  '[{"email":"hello@world.com","event":"dropped","reason":"Bounced Address",' +
  '"sg_event_id":"ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA",' +
  '"sg_message_id":"LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0",' +
  '"smtp-id":"<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>","timestamp":1600112492}]\r\n';
const SENDGRID_HEADERS = {
  "x-twilio-email-event-webhook-signature":
    "MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=",
  "x-twilio-email-event-webhook-timestamp": "1600112502",
};
/** RFC 7515, appendix A.2. */
const RS256_KEY =
  "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd/wWJcyQoTbji9k0l8W26mPddxHmfHQp" +
  "+Vaw+4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL+yRT+SFd2lZS+pCgNMsD1W/YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb/7OMg0LOL+bSf63kpa" +
  "SHSXndS5z5rexMdbBYUsLA9e+KXBdQOS+UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6/I5IhlJH7aGhyxXFvUK" +
  "+DWNmoudF8NAco9/h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQIDAQAB";
const RS256_BODY =
  "eyJhbGciOiJSUzI1NiJ9" +
  ".eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
const RS256_SIGNATURE =
  "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CU" +
  "Ar7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_d" +
  "O--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0ig" +
  "cN_IoypGlUPQGe77Rw";
const RFC_8032_KEY = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
const RFC_8032_SIGNATURE =
  "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da" +
  "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";

const pem = (key: string) =>
  ["-----BEGIN PUBLIC KEY-----", key.slice(0, 64), key.slice(64), "-----END PUBLIC KEY-----"].join("\n");

interface Vector {
  provider: SourceProvider;
  verification?: object;
  secret: string;
  body: string;
  headers: Record<string, string>;
  url?: string;
  seconds?: number;
}

const twilio = (body: string, signature: string, more: Partial<Vector> = {}): Vector => ({
  provider: "twilio",
  secret: "12345",
  body,
  headers: { ...FORM, "x-twilio-signature": signature },
  url: TWILIO_URL,
  ...more,
});

const dated = (date: string, signature: string): Vector => ({
  provider: "hmac",
  verification: { header: "X-S", timestampHeader: "Date", content: "{timestamp}.{body}" },
  secret: "a signing secret",
  body: "{}",
  headers: { date, "x-s": signature },
  seconds: 1_735_689_600,
});

const VECTORS: Record<string, Vector> = {
  "a time as HTTP writes it": dated(
    "Wed, 01 Jan 2025 00:00:00 GMT",
    "5ee1b45775d3c847ea18d4cf3581d82381e229e7d3a4ec70b7353c8e1a840d09",
  ),
  "a time as Python writes it": dated(
    "2025-01-01T00:00:00.25",
    "3bd2c56468beae2b5bd545d6c45ffe99646f20a5e3bef76aec850ff5cea10d1a",
  ),
  "Twilio, as its libraries test it: a form": twilio(
    "Digits=1234&To=%2B18005551212&From=%2B14158675309&Caller=%2B14158675309&CallSid=CA1234567890ABCDE",
    "RSOYDt4T1cUTdK1PDd93/VVr8B8=",
  ),
  "Twilio, as its libraries test it: one name several times": twilio(
    "Sid=CA123&SidAccount=AC123&Digits=5678&Digits=1234&Digits=1234",
    "IK+Dwps556ElfBT0I3Rgjkr1wJU=",
  ),
  "Twilio, as its libraries test it: JSON": twilio('{"property": "value", "boolean": true}', "", {
    headers: { "content-type": "application/json", "x-twilio-signature": "a9nBmqA0ju/hNViExpshrM61xv4=" },
    url: `${TWILIO_URL}&bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620`,
  }),
  "SendGrid, as its libraries test it": {
    provider: "sendgrid",
    secret: SENDGRID_KEY,
    body: SENDGRID_BODY,
    headers: SENDGRID_HEADERS,
    seconds: 1_600_112_502,
  },
  "ECDSA by hmac, with SendGrid's vector and the key as PEM": {
    provider: "hmac",
    verification: {
      header: "X-Twilio-Email-Event-Webhook-Signature",
      algorithm: "ecdsa",
      encoding: "base64",
      timestampHeader: "X-Twilio-Email-Event-Webhook-Timestamp",
      content: "{timestamp}{body}",
    },
    secret: pem(SENDGRID_KEY),
    body: SENDGRID_BODY,
    headers: SENDGRID_HEADERS,
    seconds: 1_600_112_502,
  },
  "RSA by hmac, as Wise and Kick sign, with the vector of RFC 7515": {
    provider: "hmac",
    verification: { header: "X-Signature-SHA256", algorithm: "rsa", encoding: "base64" },
    secret: pem(RS256_KEY),
    body: RS256_BODY,
    headers: { "x-signature-sha256": RS256_SIGNATURE },
  },
  "Ed25519 by hmac, with the second vector of RFC 8032": {
    provider: "hmac",
    verification: { header: "X-Signature-Ed25519", algorithm: "ed25519" },
    secret: RFC_8032_KEY,
    body: "r",
    headers: { "x-signature-ed25519": RFC_8032_SIGNATURE },
  },
  "Ed25519 by hmac, with the key as a SubjectPublicKeyInfo and a signature in base64": {
    provider: "hmac",
    verification: { header: "X-S", algorithm: "ed25519", encoding: "base64" },
    secret: Buffer.from(`302a300506032b6570032100${RFC_8032_KEY}`, "hex").toString("base64"),
    body: "r",
    headers: { "x-s": Buffer.from(RFC_8032_SIGNATURE, "hex").toString("base64") },
  },
};

const refusal = ({ provider, verification, secret, body, headers, url, seconds = 0 }: Vector) =>
  refusalOf(
    {
      provider,
      options: verification ? { verification: SOURCE_OPTIONS.verification.parse(verification) } : {},
      secrets: [secret],
    },
    { headers: new Headers(headers), body: utf8(body), ...(url === undefined ? {} : { url }) },
    seconds * 1000,
  );

test.each(Object.entries(VECTORS))("%s: is right, and with another body, URL or time it is not", async (_, vector) => {
  expect(await refusal(vector)).toBeNull();
  expect(await refusal({ ...vector, body: `${vector.body}0` })).toBe("signature");
  const { url, seconds } = vector;
  if (url !== undefined) expect(await refusal({ ...vector, url: `${url}&x=1` })).toBe("signature");
  if (seconds !== undefined) expect(await refusal({ ...vector, seconds: seconds + 86_401 })).toBe("timestamp");
});

const BODY = '{"event":{"type":"user.create"}}';
const hashOf = async (body: string) => {
  const hash = Buffer.from(await crypto.subtle.digest("SHA-256", utf8(body)));
  return { hex: hash.toString("hex"), base64: hash.toString("base64") };
};
const SECRET = "a secret of at least thirty-two bytes";
const NOW_SECONDS = 1_735_689_600;

/** A call with a token that is signed with SECRET or with a new private key; `vector` verifies it. */
async function tokenVector(algorithm: string, verification: object, claims: object): Promise<Vector> {
  const isHmac = algorithm.startsWith("HS");
  const pair = isHmac ? null : await generateKeyPair(algorithm, { extractable: true });
  const token = await new SignJWT({ ...claims })
    .setProtectedHeader({ alg: algorithm, kid: "k", typ: "JWT" })
    .sign(pair?.privateKey ?? utf8(SECRET));
  const { header, prefix = "" } = verification as { header: string; prefix?: string };
  return {
    provider: "hmac",
    verification: { algorithm: "jwt", ...verification },
    secret: pair ? await exportSPKI(pair.publicKey) : SECRET,
    body: BODY,
    headers: { [header]: prefix + token },
    seconds: NOW_SECONDS,
  };
}

const FUSIONAUTH = { header: "X-FusionAuth-Signature-JWT" };

test.each<[string, string, object, (hash: Record<"hex" | "base64", string>) => object]>([
  ["FusionAuth", "HS256", FUSIONAUTH, (hash) => ({ request_body_sha256: hash.base64 })],
  ["FusionAuth", "HS512", FUSIONAUTH, (hash) => ({ request_body_sha256: hash.base64 })],
  ["FusionAuth", "RS256", FUSIONAUTH, (hash) => ({ request_body_sha256: hash.base64 })],
  ["FusionAuth", "ES384", FUSIONAUTH, (hash) => ({ request_body_sha256: hash.base64 })],
  ["Plaid", "ES256", { header: "Plaid-Verification" }, (hash) => ({ iat: NOW_SECONDS, request_body_sha256: hash.hex })],
  [
    "Netlify",
    "HS256",
    { header: "X-Webhook-Signature", bodyClaim: "sha256" },
    (hash) => ({ iss: "netlify", sha256: hash.hex }),
  ],
  [
    "Vonage",
    "HS256",
    { header: "Authorization", prefix: "Bearer ", bodyClaim: "payload_hash" },
    (hash) => ({ iat: NOW_SECONDS, payload_hash: hash.hex, iss: "Vonage" }),
  ],
])("%s, %s: a JSON Web Token signs the body", async (_name, algorithm, verification, claims) => {
  const said = claims(await hashOf(BODY));
  const vector = await tokenVector(algorithm, verification, said);
  expect(await refusal(vector)).toBeNull();
  expect(await refusal({ ...vector, body: `${BODY} ` })).toBe("signature");
  expect(await refusal({ ...vector, secret: `${SECRET}.` })).toBe("signature");
  const late = "iat" in said ? "timestamp" : null;
  expect(await refusal({ ...vector, seconds: NOW_SECONDS + 301 })).toBe(late);
  const ended = await tokenVector(algorithm, verification, { ...said, exp: NOW_SECONDS - 301 });
  expect(await refusal(ended)).toBe("timestamp");
});

test("a JSON Web Token without the hash, without a signature or with an HMAC of the public key is refused", async () => {
  const hash = { request_body_sha256: (await hashOf(BODY)).hex };
  const right = await tokenVector("RS256", FUSIONAUTH, hash);
  const signed = async (key: string) => {
    const token = new SignJWT({ ...hash }).setProtectedHeader({ alg: "HS256" }).sign(utf8(key));
    return { ...right, headers: { [FUSIONAUTH.header]: await token } };
  };
  const withoutSignature = { ...right, headers: { [FUSIONAUTH.header]: new UnsecuredJWT({ ...hash }).encode() } };
  const others = [await signed(right.secret), await tokenVector("HS256", FUSIONAUTH, {}), withoutSignature];
  for (const vector of [...others, { ...right, headers: { [FUSIONAUTH.header]: "a.b" } }]) {
    expect(await refusal(vector)).toBe("signature");
  }
});

test("a form of a stranger is read name by name, once", async () => {
  const values = vi.spyOn(URLSearchParams.prototype, "getAll");
  const body = Array.from({ length: 60_000 }, (_, at) => at.toString(36)).join("&");
  try {
    expect(await refusal(twilio(body, "RSOYDt4T1cUTdK1PDd93/VVr8B8="))).toBe("signature");
    expect(values).not.toHaveBeenCalled();
  } finally {
    values.mockRestore();
  }
});

test.each<[SourceProvider, object]>([
  ["sendgrid", {}],
  ["hmac", { verification: { header: "X", algorithm: "ed25519" }, type: { fixed: "a" } }],
  ["hmac", { verification: { header: "X", algorithm: "ecdsa" }, type: { fixed: "a" } }],
  ["hmac", { verification: { header: "X", algorithm: "rsa" }, type: { fixed: "a" } }],
])("%s: what is no public key is refused when it is saved (%j)", async (provider, options) => {
  const { token } = await signUp();
  // The last is a point that is not on the curve.
  for (const secret of ["a secret of some length", "MFkwEwYHKoZIzj0CAQYI", SENDGRID_KEY.replace("83T4", "93T4")]) {
    const { status, body } = await call("POST", "/sources", {
      token,
      body: { name: "n", provider, secrets: [secret], ...options },
    });
    expect([secret, status, body.details]).toEqual([
      secret,
      400,
      [{ path: "secrets.0", message: "A secret is not a public key" }],
    ]);
  }
});
