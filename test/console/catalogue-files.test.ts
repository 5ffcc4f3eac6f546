/** The files of catalogues: made once for a state of the types, stored, and of a bounded size. */
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { browse, changeCatalogue, openCatalogue } from "../support/catalogue";
import { call, type Person, signUpVerified } from "../support/client";

const FILES = ["openapi.json", "asyncapi.json", "types.ts"];

const declare = async ({ token }: Person, name: string) => {
  expect((await call("POST", "/event-types", { token, body: { name } })).status).toBe(201);
};

const importTypes = async ({ token }: Person, eventTypes: object[]) => {
  const { body } = await call("POST", "/event-types/import", { token, body: { eventTypes } });
  expect(body.data.created).toHaveLength(eventTypes.length);
};
/** Of the tenant's files, when somebody began to make them. */
const takenEarlier = async ({ tenantId }: Person) => {
  for (const db of [env.DB, env.SHARD_1]) {
    await db.prepare("UPDATE catalog_files SET taken_at = taken_at - 10000 WHERE tenant_id = ?").bind(tenantId).run();
  }
};

test("have a tag, with which one that has not changed is not sent again", async () => {
  const person = await signUpVerified();
  await declare(person, "order.paid");
  const slug = await openCatalogue(person);
  for (const file of FILES) {
    const first = await browse(`${slug}/${file}`);
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    const again = await browse(`${slug}/${file}`, { headers: { "if-none-match": `"other", W/${etag}` } });
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
    expect((await browse(`${slug}/${file}`, { headers: { "if-none-match": '"other"' } })).text).toBe(first.text);
  }
});

test("are made once for a state of the types: of 10 readers at once, one makes the file", async () => {
  const person = await signUpVerified();
  await declare(person, "order.paid");
  const slug = await openCatalogue(person);
  const answers = await Promise.all(Array.from({ length: 10 }, () => browse(`${slug}/openapi.json`)));
  const statuses = new Set(answers.map(({ status }) => status));
  expect(statuses.has(200) && [...statuses].every((status) => status === 200 || status === 503)).toBe(true);
  const [made] = new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text));
  // Ten seconds later a change is in the file, which until then stays as it is.
  await declare(person, "order.shipped");
  expect((await browse(`${slug}/openapi.json`)).text).toBe(made);
  await takenEarlier(person);
  const next = await Promise.all(Array.from({ length: 10 }, () => browse(`${slug}/openapi.json`)));
  expect(next.map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect(next.filter(({ text }) => text !== made && !text.includes("order.shipped"))).toEqual([]);
  expect((await browse(`${slug}/openapi.json`)).text).toContain("order.shipped");
  await changeCatalogue(person, { title: "Another title" });
  await takenEarlier(person);
  expect((await browse(`${slug}/openapi.json`)).text).toContain("Another title");
});

test("of more than 1 MiB are refused, and not written again", async () => {
  const person = await signUpVerified();
  const text = "x".repeat(60_000);
  for (let part = 0; part < 3; part += 1) {
    const names = Array.from({ length: 6 }, (_, at) => `large.${part}.${at}`);
    await importTypes(
      person,
      names.map((name) => ({ name, schema: { description: text } })),
    );
  }
  const slug = await openCatalogue(person);
  for (const again of [1, 2]) {
    const { status, text: shown } = await browse(`${slug}/openapi.json`);
    expect([again, status, shown.includes("larger than 1 MiB"), shown.length < 10_000]).toEqual([
      again,
      413,
      true,
      true,
    ]);
  }
  expect((await browse(`${slug}/large.0.0`)).status).toBe(200);
});
