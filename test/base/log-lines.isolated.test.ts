/**
 * Log lines: one per request and one per attempt, with the same field names, so that one search follows an event to its
 * subscribers.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createDeps } from "../../src/base/deps";
import { describeError, log } from "../../src/base/log/log";
import { LOG_FIELDS } from "../../src/base/log/log-fields";
import { runCron } from "../../src/cron";
import { claimDeliveries } from "../../src/webhooks/delivery/claim-store";
import { call, signUp } from "../support/client";
import { addDelivery, consumeBatch, eventOf, messageFor } from "../support/engine";
import { captureLog } from "../support/log-lines";
import { callUnder } from "../support/overrides";
import { newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb, SHARD } from "../support/shard";

const captured = captureLog();
const rpc = (body: object) => env.PUBLISHER.fetch("http://publisher/", { method: "POST", body: JSON.stringify(body) });

test("the line of a publish request and those of its attempts have the event id and the correlation id", async () => {
  const person = await signUp();
  const inboxes = [newInbox("200"), newInbox("500")];
  const webhookIds = await Promise.all(inboxes.map(({ url }) => subscribe(person, url)));
  const { id: eventId } = await publish(person, 1, { correlationId: "checkout-7" });
  const names = { tenantId: person.tenantId, eventId, correlationId: "checkout-7" };

  expect(captured.lines("request").filter((line) => line.eventId === eventId)).toEqual([
    {
      level: "info",
      message: "request",
      ...names,
      requestId: expect.any(String),
      method: "POST",
      route: "/api/v1/events",
      status: 202,
      ms: expect.any(Number),
      d1Trips: 2,
    },
  ]);
  const attempts = await captured.linesOnceThere("attempt", (line) => line.eventId === eventId, 2);
  const ids = await Promise.all(inboxes.map(async (inbox) => (await inbox.arrived(1))[0]?.headers["webhook-id"]));
  const attempt = { message: "attempt", ...names, attempt: 1, ms: expect.any(Number) };
  const [good, bad] = webhookIds.map((id) => attempts.find((line) => line.webhookId === id));
  expect(good).toEqual({
    ...attempt,
    level: "info",
    webhookId: webhookIds[0],
    deliveryId: ids[0],
    outcome: "success",
    responseCode: 200,
    reason: null,
  });
  expect(bad).toEqual({
    ...attempt,
    level: "warn",
    webhookId: webhookIds[1],
    deliveryId: ids[1],
    outcome: "failed",
    responseCode: 500,
    reason: "status 500",
  });
});

test("the line of a repeated publish has the event id of the first", async () => {
  const person = await signUp();
  const again = () =>
    call("POST", "/events", {
      token: person.token,
      body: { type: "OrderPaid", payload: 1 },
      headers: { "idempotency-key": "once" },
    });
  const { id } = (await again()).body.data;
  await again();
  expect(captured.lines("request").filter((line) => line.eventId === id)).toHaveLength(2);
});

test("a publish by another Worker writes the same line as a request, even if it is refused", async () => {
  const person = await signUp();
  const inbox = newInbox("200");
  await subscribe(person, inbox.url);
  const publication = { type: "OrderPaid", payload: 1, correlationId: "rpc-7" };
  const request = { tenantId: person.tenantId, publication, idempotencyKey: "key" };
  await rpc(request);
  await rpc({ ...request, publication: { ...publication, payload: 2 } });
  const [accepted, refused] = captured.lines("request").filter((line) => line.correlationId === "rpc-7");
  const same = { method: "RPC", route: "EventPublisher.publish", tenantId: person.tenantId };
  expect(accepted).toMatchObject({ ...same, level: "info", status: 202, eventId: expect.any(String), d1Trips: 2 });
  expect(refused).toMatchObject({ ...same, level: "info", status: 409 });
  const [attempt] = await captured.linesOnceThere("attempt", (line) => line.correlationId === "rpc-7", 1);
  expect(attempt?.eventId).toBe(accepted?.eventId);
});

test("every line is JSON and has only fields of LOG_FIELDS", () => {
  const known = new Set(["level", "message", ...Object.keys(LOG_FIELDS)]);
  const unknown = captured.text.flatMap((line) => Object.keys(JSON.parse(line)).filter((name) => !known.has(name)));
  expect(captured.text.length).toBeGreaterThan(10);
  expect(unknown).toEqual([]);
});

test("text in an error that looks like a token is redacted", () => {
  const token = "0123456789abcdef".repeat(4);
  const ofApps = `pcs_${"x".repeat(40)}, por_${crypto.randomUUID()}.1.yyyy`;
  const error = new Error(
    `refused: ...?token=${token}, ak_${"x".repeat(40)}, ${ofApps}, eyJhbGciOi.eyJzdWIi.c2ln, whsec_bm90`,
  );
  log("error", "unexpected error", describeError(error));
  const line = captured.text.at(-1) ?? "";
  for (const secret of [token, "xxxx", "yyyy", "eyJ", "bm90"]) expect(line).not.toContain(secret);
  expect(line).toContain("refused: ...?token=[redacted]");
});

test.each([
  ["LOG_ATTEMPTS is failed", { LOG_ATTEMPTS: "failed" }, ["failed"]],
  ["LOG_LEVEL is warn", { LOG_LEVEL: "warn" }, ["failed"]],
  ["LOG_LEVEL is error", { LOG_LEVEL: "error" }, []],
  ["neither is set", {}, ["failed", "success"]],
])("when %s the outcomes of attempts on lines are %j", async (_, settings, outcomes) => {
  const person = await signUp();
  const ids = [await subscribe(person, newInbox("200").url), await subscribe(person, newInbox("500").url)];
  const keys = await Promise.all(ids.map((id) => addDelivery(person, id)));
  await consumeBatch([messageFor(...keys)], "postern-deliveries", settings as Partial<Cloudflare.Env>);
  const lines = captured.lines("attempt").filter(({ webhookId }) => ids.includes(webhookId));
  expect(lines.map(({ outcome }) => outcome).toSorted()).toEqual(outcomes);
});

test("when LOG_LEVEL is warn a request that succeeds leaves no line", async () => {
  const person = await signUp();
  const ask = { method: "GET", path: "/api/v1/auth/me", token: person.token };
  const { headers } = await callUnder({ LOG_LEVEL: "warn" }, ask);
  const other = await callUnder({}, ask);
  const ids = [headers, other.headers].map((answered) => answered.get("x-request-id"));
  const lines = captured.lines("request").filter(({ requestId }) => ids.includes(requestId));
  expect(lines.map(({ requestId }) => requestId)).toEqual([ids[1]]);
});

// The last one: it starts sweeps, which would take up the deliveries of the others.
test("the sweep writes the line of an attempt whose consumer died", async () => {
  const person = await signUp();
  const webhookId = await subscribe(person, newInbox("200").url);
  const longAgoMs = Date.now() - 60_000;
  const key = await addDelivery(person, webhookId, { dueAt: longAgoMs });
  const deliveryId = key.id;
  const eventId = await eventOf(key);
  await deliveryDb.prepare("UPDATE events SET correlation_id = 'broken-7' WHERE id = ?").bind(eventId).run();
  const context = createExecutionContext();
  const deps = await createDeps(env, context);
  await claimDeliveries(deps.shards.db(SHARD), { speed: "fast", claim: "dead" }, [key], longAgoMs);
  await runCron(deps, "* * * * *");
  await waitOnExecutionContext(context);
  const [line] = await captured.linesOnceThere("attempt", (line) => line.deliveryId === deliveryId, 1);
  expect(line).toEqual({
    level: "warn",
    message: "attempt",
    tenantId: person.tenantId,
    eventId,
    correlationId: "broken-7",
    webhookId,
    deliveryId,
    attempt: 1,
    outcome: "failed",
    reason: "interrupted",
  });
  expect(captured.lines("cron")).toContainEqual({
    level: "info",
    message: "cron",
    cron: "* * * * *",
    ms: expect.any(Number),
    d1Trips: expect.any(Number),
  });
});
