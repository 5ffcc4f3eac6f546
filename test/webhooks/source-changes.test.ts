/** Sources as their tenant makes, changes, tries and deletes them. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { toBase64 } from "../../src/base/crypto/encoding";
import { encrypt } from "../../src/base/crypto/encryption";
import { hmac } from "../../src/base/crypto/webhook-signature";
import { newId } from "../../src/base/db/ids";
import { createDeps } from "../../src/base/deps";
import type { SourceProvider } from "../../src/webhooks/sources/schemas";
import { sourceOwner } from "../../src/webhooks/sources/secrets";
import { call, signUp } from "../support/client";
import { callUnder } from "../support/overrides";
import { create, errorsOf, eventsOf, HMAC, nowSeconds, optionsOf, SECRET, SIGNED, send } from "../support/sources";

test("a source is created, read, changed and deleted, and its secrets are never shown", async () => {
  const person = await signUp();
  const { token } = person;
  const made = await create(person, "hmac", { ...HMAC, typePrefix: "wms.", requestsPerMinute: 60 });
  expect(made.id).toMatch(/^src_[0-9A-Za-z]{28}$/);
  expect(made.url).toMatch(new RegExp(`^https?://[^/]+/api/v1/in/${made.id}$`));
  expect(made.secrets).toEqual([{ id: expect.any(String), last4: "cret", createdAt: expect.any(String) }]);
  const at = `/sources/${made.id}`;
  const patch = (body: object) => call("PATCH", at, { token, body });
  expect((await patch({ typePrefix: null, requestsPerMinute: null, name: "m" })).body.data).toMatchObject({
    name: "m",
    typePrefix: "",
  });
  for (const body of [
    { provider: "github" },
    { secrets: ["x"] },
    { verification: null },
    { type: null },
    { maxBytes: 262_145 },
    { typePrefix: "postern.x" },
    { allow: [] },
    { verification: { header: "X", content: "{body}{timestamp}" } },
    { verification: { header: "X", secretEncoding: "hex" } },
  ]) {
    const { status, body: answer } = await patch(body);
    expect([body, status, answer.code]).toEqual([body, 400, "VALIDATION_FAILED"]);
  }
  for (const [provider, more] of [
    ["github", { verification: HMAC.verification }],
    ["stripe", { type: { fixed: "x" } }],
    ["standard", { secrets: ["whpk_AAAAAAAAAAAAAAAA"] }],
    ["hmac", {}],
  ] as const) {
    const body = { name: "n", provider, secrets: [SECRET], ...more };
    expect([provider, (await call("POST", "/sources", { token, body })).status]).toEqual([provider, 400]);
  }
  const add = () => call("POST", `${at}/secrets`, { token, body: { secret: "a second secret of it" } });
  expect((await add()).body.data.secrets[1]).toEqual({
    id: expect.any(String),
    last4: "f it",
    createdAt: expect.any(String),
  });
  expect([(await add()).status, (await add()).status]).toEqual([201, 409]);
  const { secrets } = (await call("GET", at, { token })).body.data;
  const removals = [];
  for (const { id } of secrets) removals.push((await call("DELETE", `${at}/secrets/${id}`, { token })).status);
  expect(removals).toEqual([200, 200, 409]);
  expect((await call("DELETE", at, { token })).body).toEqual({ message: "Source deleted" });
  expect((await call("GET", at, { token })).body.message).toBe("Source not found");
  expect((await call("GET", "/sources", { token })).body.data).toEqual([]);
});

test("of 20 parallel creations at the cap exactly one succeeds, and of parallel added secrets none is lost", async () => {
  const { token } = await signUp();
  const body = { name: "n", provider: "github", secrets: [SECRET] };
  const request = { path: "/api/v1/sources", token, body };
  const made = await Promise.all(Array.from({ length: 20 }, () => callUnder({ MAX_SOURCES_PER_TENANT: "1" }, request)));
  expect(made.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
  const { id } = (await call("GET", "/sources", { token })).body.data[0];
  const added = await Promise.all(
    Array.from({ length: 10 }, (_, n) => call("POST", `/sources/${id}/secrets`, { token, body: { secret: `s${n}` } })),
  );
  const taken = added.filter(({ status }) => status === 201).length;
  const { secrets } = (await call("GET", `/sources/${id}`, { token })).body.data;
  expect(secrets).toHaveLength(1 + taken);
  expect(secrets.length).toBeLessThanOrEqual(3);
});

test("a sample is tried without writing anything", async () => {
  const person = await signUp();
  const { id } = await create(person, "github");
  const attempt = async (body: string, headers: Record<string, string>) =>
    (await call("POST", `/sources/${id}/test`, { token: person.token, body: { headers, body } })).body.data;
  const right = await SIGNED.github("{}", 0);
  expect(await attempt("{}", right)).toEqual({ verified: true, type: "github.issues", relayed: true });
  expect(await attempt("{}", { ...right, "x-github-event": "ping" })).toEqual({
    verified: true,
    type: "github.ping",
    relayed: false,
  });
  expect(await attempt("{} ", right)).toEqual({ verified: false, reason: "signature" });
  expect(await eventsOf(person)).toEqual([]);
  expect(await errorsOf(person, id)).toEqual([]);
});

test("the audit log finds what was done to a source by the source's id", async () => {
  const person = await signUp();
  const { id } = await create(person, "github");
  await create(person, "github");
  const { body } = await call("GET", `/audit?target=${id}`, { token: person.token });
  expect(body.data).toMatchObject([{ action: "source.created", target: { kind: "source", id } }]);
});

describe("a secret", () => {
  const make = async (token: string, provider: SourceProvider, secret: string) => {
    const body = { name: "n", provider, secrets: [secret], ...optionsOf(provider) };
    return call("POST", "/sources", { token, body });
  };

  test.each<[SourceProvider, number]>([
    ["hmac", 16],
    ["standard", 16],
    ["stripe", 8],
    ["github", 8],
    ["shopify", 8],
    ["slack", 8],
  ])("of %s has at least %i characters, without spaces around it, whenever it is given", async (provider, least) => {
    const { token } = await signUp();
    const short = ` ${"x".repeat(least - 1)}\n`;
    const refused = await make(token, provider, short);
    expect([refused.status, refused.body.details]).toEqual([
      400,
      [{ path: "secrets.0", message: `A secret must have at least ${least} characters` }],
    ]);
    const made = await make(token, provider, "x".repeat(least));
    expect(made.status).toBe(201);
    const added = await call("POST", `/sources/${made.body.data.id}/secrets`, { token, body: { secret: short } });
    expect([added.status, added.body.details?.[0].path]).toEqual([400, "secret"]);
  });

  test("that an older version took works on when the source is changed", async () => {
    const person = await signUp();
    const { id } = await create(person, "hmac", HMAC);
    const { keys } = await createDeps(env, createExecutionContext());
    const old = [{ id: newId(), secret: "s", createdAt: 0 }];
    await env.DB.prepare("UPDATE sources SET secrets_sealed = ? WHERE id = ?")
      .bind(await encrypt(keys, sourceOwner(id), JSON.stringify(old)), id)
      .run();
    const { status } = await call("PATCH", `/sources/${id}`, { token: person.token, body: { typePrefix: "wms." } });
    expect(status).toBe(200);
  });

  const KEY = new Uint8Array(24).fill(255);
  const ENCODED = toBase64(KEY.subarray(0, 23));
  test.each([
    ["as it is", `whsec_${ENCODED}`],
    ["with the version of its signatures", `v1,whsec_${ENCODED}`],
    ["with spaces around it", `  whsec_${ENCODED}\n`],
    ["without padding", `whsec_${ENCODED.replace("=", "")}`],
    ["in the alphabet of URLs", `whsec_${ENCODED.replaceAll("+", "-").replaceAll("/", "_")}`],
  ])("of Standard Webhooks is read %s", async (_name, secret) => {
    const person = await signUp();
    const { body } = await make(person.token, "standard", secret);
    const text = JSON.stringify({ type: "order.paid" });
    const seconds = nowSeconds();
    const signature = toBase64(await hmac("SHA-256", KEY.subarray(0, 23), `msg_1.${seconds}.${text}`));
    const headers = { "webhook-id": "msg_1", "webhook-timestamp": String(seconds) };
    const sent = await send(body.data.id, text, { ...headers, "webhook-signature": `v1,${signature}` });
    expect(sent.status).toBeLessThan(300);
  });

  test("of Standard Webhooks that begins with whsec_ and is not base64 is refused", async () => {
    const { token } = await signUp();
    for (const secret of ["whsec_not base64 at all!", `v1,whsec_${"?".repeat(24)}`]) {
      expect((await make(token, "standard", secret)).status).toBe(400);
    }
  });
});
