/** Sources as their tenant makes, changes, tries and deletes them. */
import { expect, test } from "vitest";
import { call, signUp } from "../support/client";
import { callUnder } from "../support/overrides";
import { create, errorsOf, eventsOf, HMAC, SECRET, SIGNED } from "../support/sources";

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
    ["standard", { secrets: ["whpk_AAAA"] }],
    ["hmac", {}],
  ] as const) {
    const body = { name: "n", provider, secrets: ["s"], ...more };
    expect([provider, (await call("POST", "/sources", { token, body })).status]).toEqual([provider, 400]);
  }
  const add = () => call("POST", `${at}/secrets`, { token, body: { secret: "s" } });
  expect((await add()).body.data.secrets[1]).toEqual({ id: expect.any(String), createdAt: expect.any(String) });
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
