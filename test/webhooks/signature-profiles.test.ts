/** `delivery.signatureProfile`: further signatures in the form of another provider. */
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { fromBase64, toBase64, toHex, utf8 } from "../../src/base/crypto/encoding";
import { profileHeaders } from "../../src/webhooks/signing/profiles";
import { call } from "../support/client";
import { newHook, patchHook, readHook } from "../support/hook";
import { endedAttempts } from "../support/receiver";
import { sendOne, verifies } from "../support/signed";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const NEXT_SECRET = "whsec_b25jZSB1cG9uIGEgdGltZSwgYSBrZXkgbGl2ZWQ=";
const KEY = fromBase64(SECRET.slice("whsec_".length));
const CUSTOM = {
  kind: "custom",
  header: "X-Acme-Signature",
  encoding: "base64",
  algorithm: "sha512",
  content: "{id}.{timestamp}.{body}",
  prefix: "v0=",
  key: "base64",
  idHeader: "X-Acme-Id",
  timestampHeader: "X-Acme-Timestamp",
};

async function hmac(key: string | Uint8Array<ArrayBuffer>, text: string, hash = "SHA-256"): Promise<Uint8Array> {
  const bytes = typeof key === "string" ? utf8(key) : key;
  const imported = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, utf8(text)));
}
const hexHmac = async (key: string, text: string) => toHex(await hmac(key, text));
const withProfile = (signatureProfile: unknown, more: object = {}) =>
  newHook({ secret: SECRET, delivery: { signatureProfile, ...more } });
const setProfile = (hook: Awaited<ReturnType<typeof newHook>>, signatureProfile: unknown) =>
  patchHook(hook, { delivery: { signatureProfile } });
const rotate = (hook: Awaited<ReturnType<typeof newHook>>, secret: string) =>
  call("POST", `/webhooks/${hook.id}/secret/rotate`, {
    token: hook.person.token,
    body: { kind: "v1", secret, overlapSeconds: 3600 },
  });

test("GitHub's and Svix's published examples come out", async () => {
  const github = { secrets: ["It's a Secret to Everybody"], id: "msg_1", timestampSeconds: 1, body: "Hello, World!" };
  expect(await profileHeaders({ kind: "github" }, github)).toEqual({
    "X-Hub-Signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
  });
  const svix = {
    secrets: ["whsec_plJ3nmyCDGBKInavdOK15jsl"],
    id: "msg_loFOjxBNrRLzqYUf",
    timestampSeconds: 1731705121,
    body: '{"event_type":"ping","data":{"success":true}}',
  };
  expect(await profileHeaders({ kind: "svix" }, svix)).toEqual({
    "svix-id": "msg_loFOjxBNrRLzqYUf",
    "svix-timestamp": "1731705121",
    "svix-signature": "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=",
  });
});

describe("a delivery carries, beside the standard headers and over the bytes sent,", () => {
  test("Svix's headers, which its library verifies", async () => {
    const hook = await withProfile({ kind: "svix" }, { format: "standard" });
    const { headers, body } = await sendOne(hook);
    expect(headers["svix-id"]).toBe(headers["webhook-id"]);
    expect(new Webhook(SECRET).verify(body, headers)).toMatchObject({ type: "OrderPaid" });
    const asSvix = Object.fromEntries(
      ["id", "timestamp", "signature"].map((name) => [`webhook-${name}`, `svix-${name}`]),
    );
    const renamed = Object.fromEntries(Object.entries(asSvix).map(([name, from]) => [name, headers[from] ?? ""]));
    expect(new Webhook(SECRET).verify(body, renamed)).toMatchObject({ type: "OrderPaid" });
  });

  test("Stripe's header, made with the whole secret", async () => {
    const { headers, body } = await sendOne(await withProfile({ kind: "stripe" }));
    const seconds = headers["webhook-timestamp"];
    expect(headers["stripe-signature"]).toBe(`t=${seconds},v1=${await hexHmac(SECRET, `${seconds}.${body}`)}`);
    expect(await verifies({ headers, body }, SECRET)).toBe(true);
  });

  test("GitHub's header under another name", async () => {
    const { headers, body } = await sendOne(await withProfile({ kind: "github", header: "X-Acme-256" }));
    expect(headers["x-acme-256"]).toBe(`sha256=${await hexHmac(SECRET, body)}`);
    expect(headers).not.toHaveProperty("x-hub-signature-256");
  });

  test("a form of its own, with the id and the timestamp under its own names", async () => {
    const { headers, body } = await sendOne(await withProfile(CUSTOM));
    const [id, seconds] = [headers["webhook-id"], headers["webhook-timestamp"]];
    expect([headers["x-acme-id"], headers["x-acme-timestamp"]]).toEqual([id, seconds]);
    const expected = toBase64(await hmac(KEY, `${id}.${seconds}.${body}`, "SHA-512"));
    expect(headers["x-acme-signature"]).toBe(`v0=${expected}`);
  });
});

test("while a rotation overlaps, Svix's and Stripe's forms list all secrets and the others have the new one", async () => {
  const hook = await withProfile({ kind: "svix" });
  expect((await rotate(hook, NEXT_SECRET)).status).toBe(200);
  const svix = await sendOne(hook);
  expect(svix.headers["svix-signature"]).toBe(svix.headers["webhook-signature"]);
  expect(svix.headers["svix-signature"]?.split(" ")).toHaveLength(2);
  await setProfile(hook, { kind: "stripe" });
  const stripe = await sendOne(hook);
  const seconds = stripe.headers["webhook-timestamp"];
  const signed = await Promise.all([NEXT_SECRET, SECRET].map((secret) => hexHmac(secret, `${seconds}.${stripe.body}`)));
  expect(stripe.headers["stripe-signature"]).toBe(`t=${seconds},v1=${signed[0]},v1=${signed[1]}`);
  await setProfile(hook, { kind: "github" });
  const github = await sendOne(hook);
  expect(github.headers["x-hub-signature-256"]).toBe(`sha256=${await hexHmac(NEXT_SECRET, github.body)}`);
});

test("a change replaces the whole profile, null removes it, and nothing else is shown", async () => {
  const hook = await withProfile(CUSTOM);
  expect((await readHook(hook)).delivery).toEqual({ signatureProfile: CUSTOM });
  await setProfile(hook, { kind: "stripe", header: "X-Pay" });
  expect((await readHook(hook)).delivery).toEqual({ signatureProfile: { kind: "stripe", header: "X-Pay" } });
  await setProfile(hook, { kind: "stripe" });
  expect((await readHook(hook)).delivery).toEqual({ signatureProfile: { kind: "stripe" } });
  await setProfile(hook, null);
  expect(await readHook(hook)).not.toHaveProperty("delivery");
  expect((await sendOne(hook)).headers).not.toHaveProperty("stripe-signature");
});

test("the log shows the headers that were sent, and not those of a profile that came later", async () => {
  const hook = await withProfile({ kind: "github" });
  const { headers } = await sendOne(hook);
  const [attempt] = await endedAttempts(hook.person, hook.id, 1);
  const detail = async () =>
    (await call("GET", `/webhooks/${hook.id}/attempts/${attempt?._id}`, { token: hook.person.token })).body.data;
  expect((await detail()).headers["X-Hub-Signature-256"]).toBe(headers["x-hub-signature-256"]);
  await setProfile(hook, { kind: "stripe" });
  expect(await detail()).toMatchObject({ missingSignatures: "settings-changed" });
  expect((await detail()).headers).not.toHaveProperty("Stripe-Signature");
});

describe("400", () => {
  const profilePath = (member: string) => `delivery.signatureProfile.${member}`;

  test.each<[string, unknown]>([
    ["an unknown kind", { kind: "paypal" }],
    ["an unknown member", { kind: "github", prefix: "x" }],
    ["a text", "svix"],
    ["content without {body}", { ...CUSTOM, content: "{id}" }],
    ["content with {body} twice", { ...CUSTOM, content: "{body}{body}" }],
    ["content with another brace", { ...CUSTOM, content: "{body}{path}" }],
    ["content of 257 characters", { ...CUSTOM, content: `{body}${"x".repeat(251)}` }],
    ["content with a line break", { ...CUSTOM, content: "{body}\n" }],
    ["a prefix with a space", { ...CUSTOM, prefix: "a b" }],
    ["a prefix of 33 characters", { ...CUSTOM, prefix: "x".repeat(33) }],
    ["a forbidden header", { kind: "stripe", header: "webhook-signature" }],
    ["a header with a space", { kind: "stripe", header: "X A" }],
    ["md5", { ...CUSTOM, algorithm: "md5" }],
    ["a header that is named twice", { ...CUSTOM, idHeader: "x-acme-signature" }],
  ])("for %s", async (_what, signatureProfile) => {
    const hook = await withProfile(null);
    const refused = await setProfile(hook, signatureProfile);
    expect([refused.status, refused.body.code]).toEqual([400, "VALIDATION_FAILED"]);
    expect(refused.body.details[0].path).toMatch(/^delivery\.signatureProfile/);
    expect((await readHook(hook)).version).toBe(0);
  });

  test("for an own header that the profile sets, whichever is set first, in any letter case", async () => {
    const headers = { "x-hub-signature-256": "mine" };
    const created = await call("POST", "/webhooks", {
      token: (await withProfile(null)).person.token,
      body: {
        name: "n",
        url: "https://example.com/",
        events: ["A"],
        secret: "s",
        delivery: { headers, signatureProfile: { kind: "github" } },
      },
    });
    expect([created.status, created.body.details[0].path]).toEqual([400, profilePath("header")]);
    const hook = await withProfile({ kind: "github" });
    const second = await patchHook(hook, { delivery: { headers } });
    expect([second.status, second.body.details]).toEqual([
      400,
      [{ path: "delivery.headers.x-hub-signature-256", message: "The signature profile sets this header" }],
    ]);
    const other = await withProfile(null, { headers: { "SVIX-ID": "mine" } });
    expect((await setProfile(other, { kind: "svix" })).body.details).toEqual([
      { path: profilePath("kind"), message: 'The subscription has an own header "SVIX-ID"' },
    ]);
  });

  test("for a secret that is not base64 where the profile needs one, now, at a change and at a rotation", async () => {
    const hook = await newHook({ secret: "not base64!" });
    expect((await setProfile(hook, CUSTOM)).body.details).toEqual([
      { path: profilePath("key"), message: "The secret is not base64" },
    ]);
    expect((await patchHook(hook, { secret: SECRET, delivery: { signatureProfile: CUSTOM } })).status).toBe(200);
    const changed = await patchHook(hook, { secret: "not base64!" });
    expect([changed.status, changed.body.details[0].path]).toEqual([400, "secret"]);
    const rotated = await rotate(hook, "not base64!");
    expect([rotated.status, rotated.body.details[0].path]).toEqual([400, "secret"]);
    expect((await rotate(hook, NEXT_SECRET)).status).toBe(200);
  });

  test("or 409: a profile and a secret that do not fit cannot both be set at the same time", async () => {
    for (let round = 0; round < 5; round += 1) {
      const hook = await withProfile(null);
      await Promise.all([setProfile(hook, CUSTOM), patchHook(hook, { secret: "not base64!" }), rotate(hook, "!!")]);
      const { secret, delivery } = await readHook(hook);
      expect(delivery?.signatureProfile === undefined || secret === SECRET).toBe(true);
    }
  });
});
