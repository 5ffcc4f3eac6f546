/** External ids of subscriptions, and importing the subscriptions of another system by them. */
import { describe, expect, test } from "vitest";
import { call, type Person, signUp } from "../support/client";
import { newHook, patchHook, readHook } from "../support/hook";

const item = (externalId: string, more: object = {}) => ({
  externalId,
  url: "https://example.com/hooks",
  events: ["OrderPaid"],
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  ...more,
});
const imports = ({ token }: Pick<Person, "token">, subscriptions: unknown[], more: object = {}) =>
  call("POST", "/webhooks/import", { token, body: { subscriptions, ...more } });
const outcomes = (answer: { body: { data: { outcome: string }[] } }) => answer.body.data.map(({ outcome }) => outcome);
const listed = async ({ token }: Person, search = "") => (await call("GET", `/webhooks${search}`, { token })).body.data;

describe("an external id", () => {
  test("is shown, finds its subscription, can be changed, and removed with null", async () => {
    const hook = await newHook({ externalId: "ep:1" });
    expect((await readHook(hook)).externalId).toBe("ep:1");
    expect((await listed(hook.person, "?externalId=ep:1")).map(({ _id }: { _id: string }) => _id)).toEqual([hook.id]);
    expect(await listed(hook.person, "?externalId=ep:2")).toEqual([]);
    expect((await patchHook(hook, { externalId: "ep:2" })).body.data).toMatchObject({ externalId: "ep:2", version: 1 });
    expect((await patchHook(hook, { externalId: null })).body.data).not.toHaveProperty("externalId");
  });

  test("is unique in its tenant until the subscription is deleted, and of no account in others", async () => {
    const hook = await newHook({ externalId: "ep" });
    const { token } = hook.person;
    const body = { ...item("ep"), name: "Second" };
    const second = await call("POST", "/webhooks", { token, body });
    expect([second.status, second.body.message]).toEqual([409, "Another subscription has this externalId."]);
    const other = await call("POST", "/webhooks", { token, body: { ...body, externalId: "other" } });
    const moved = await call("PATCH", `/webhooks/${other.body.data._id}`, { token, body: { externalId: "ep" } });
    expect([moved.status, moved.body.message]).toEqual([409, "Another subscription has this externalId."]);
    expect((await newHook({ externalId: "ep" })).id).not.toBe(hook.id);
    await call("DELETE", `/webhooks/${hook.id}`, { token });
    expect((await call("POST", "/webhooks", { token, body })).status).toBe(201);
  });

  test.each(["", "a b", "é", "x".repeat(129), 7])("%j is refused", async (externalId) => {
    const { token } = await signUp();
    const refused = await call("POST", "/webhooks", { token, body: { ...item("x"), name: "n", externalId } });
    expect([refused.status, refused.body.details[0].path]).toEqual([400, "externalId"]);
  });

  test("of 20 parallel creations goes to one", async () => {
    const { token } = await signUp();
    const body = { ...item("ep"), name: "n" };
    const answers = await Promise.all(Array.from({ length: 20 }, () => call("POST", "/webhooks", { token, body })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
  });
});

describe("an import", () => {
  test("creates subscriptions with their secrets, named by the host, and changes nothing when it is repeated", async () => {
    const person = await signUp();
    const items = [item("a"), item("b", { name: "B", delivery: { format: "standard", headers: { "X-A": "one" } } })];
    const first = await imports(person, items);
    expect(first.body.data).toEqual(
      ["a", "b"].map((externalId, index) => ({ index, externalId, outcome: "created", id: expect.any(String) })),
    );
    const [b, a] = await listed(person);
    expect(a).toMatchObject({ name: "example.com", secret: items[0]?.secret, enabled: true, version: 0 });
    expect(b).toMatchObject({ name: "B", delivery: { format: "standard", headers: { "X-A": { set: true } } } });
    expect(outcomes(await imports(person, items))).toEqual(["unchanged", "unchanged"]);
    expect((await listed(person)).map(({ version }: { version: number }) => version)).toEqual([0, 0]);
  });

  test("replaces what it finds: what the item leaves out gets its default", async () => {
    const person = await signUp();
    const delivery = {
      signatureProfile: { kind: "stripe" },
      rateLimit: { limit: 1, per: "second" },
      retry: { schedule: [10, 60], respectRetryAfter: false },
      headers: { "X-A": "one", "X-B": "two" },
    };
    await imports(person, [item("a", { name: "A", enabled: false, delivery })]);
    const replaced = await imports(person, [
      item("a", {
        secret: "another secret",
        delivery: { retry: { respectRetryAfter: false }, headers: { "x-b": "3" } },
      }),
    ]);
    expect(outcomes(replaced)).toEqual(["updated"]);
    const [after] = await listed(person);
    expect(after).toMatchObject({ name: "example.com", enabled: true, secret: "another secret", version: 1 });
    expect(after.delivery).toEqual({ retry: { respectRetryAfter: false }, headers: { "x-b": { set: true } } });
  });

  test("refuses each bad item by itself, with a reason", async () => {
    const person = await signUp();
    const answer = await imports(person, [
      item("ok"),
      item("private", { url: "ftp://example.com" }),
      { url: "https://example.com" },
      item("ok"),
      7,
      item("profile", { delivery: { signatureProfile: { kind: "svix", header: "x" } } }),
      item("conflict", { delivery: { signatureProfile: { kind: "svix" }, headers: { "Svix-Id": "x" } } }),
      item("late"),
    ]);
    expect(answer.status).toBe(200);
    expect(outcomes(answer)).toEqual(["created", ...Array(6).fill("refused"), "created"]);
    expect(answer.body.data[3]).toEqual({
      index: 3,
      externalId: "ok",
      outcome: "refused",
      reason: "The externalId came before.",
    });
    for (const { outcome, reason } of answer.body.data) expect(reason !== undefined).toBe(outcome === "refused");
  });

  test("only tells what it would do in a dry run", async () => {
    const person = await signUp();
    await imports(person, [item("a"), item("b")]);
    const items = [item("a"), item("b", { name: "B" }), item("c"), item("d", { url: "ftp://x" })];
    const tried = await imports(person, items, { dryRun: true });
    expect(outcomes(tried)).toEqual(["unchanged", "updated", "created", "refused"]);
    expect((await listed(person)).map(({ name }: { name: string }) => name)).toEqual(["example.com", "example.com"]);
    expect(outcomes(await imports(person, items))).toEqual(outcomes(tried));
  });

  test("keeps the bound of a tenant without a verified owner, in a dry run too", async () => {
    const person = await signUp();
    const items = Array.from({ length: 30 }, (_, n) => item(`ep_${n}`));
    const tried = outcomes(await imports(person, items, { dryRun: true }));
    const done = await imports(person, items);
    expect(outcomes(done)).toEqual(tried);
    expect(tried).toContain("created");
    expect(done.body.data.at(-1)).toMatchObject({ outcome: "refused" });
  });

  test("in parallel makes one subscription of each external id, and leaves it to the others as it is", async () => {
    const person = await signUp();
    const answers = await Promise.all(Array.from({ length: 10 }, () => imports(person, [item("a"), item("b")])));
    for (const index of [0, 1]) {
      const became = answers.map((answer) => outcomes(answer)[index]).sort();
      expect(became).toEqual(["created", ...Array(9).fill("unchanged")]);
    }
    expect(await listed(person)).toHaveLength(2);
  });

  test("in parallel refuses nothing that meets another version of itself", async () => {
    const person = await signUp();
    const named = Array.from({ length: 10 }, (_, n) => imports(person, [item("a", { name: `${n}` })]));
    const became = (await Promise.all(named)).flatMap(outcomes).sort();
    expect(became).toEqual(["created", ...Array(9).fill("updated")]);
    expect((await listed(person)).map(({ version }: { version: number }) => version)).toEqual([9]);
  });

  test.each<[string, unknown]>([
    ["no items", { subscriptions: [] }],
    ["101 items", { subscriptions: Array.from({ length: 101 }, (_, n) => item(`${n}`)) }],
    ["no list", { subscriptions: {} }],
    ["another dryRun", { subscriptions: [item("a")], dryRun: "yes" }],
  ])("with %s gets 400", async (_what, body) => {
    const { token } = await signUp();
    const refused = await call("POST", "/webhooks/import", { token, body: body as object });
    expect([refused.status, refused.body.code]).toEqual([400, "VALIDATION_FAILED"]);
  });

  test("needs the permissions to create and to change", async () => {
    const { token } = await signUp();
    for (const scopes of [["webhook.create"], ["webhook.update"]]) {
      const key = await call("POST", "/api-keys", { token, body: { name: "k", scopes } });
      expect((await imports({ token: key.body.data.key }, [item("a")])).status).toBe(403);
    }
  });
});
