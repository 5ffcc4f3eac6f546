/** Sources: forms of GitHub, and refusals of which each leaves an entry, whoever refuses the call. */
import { env } from "cloudflare:workers";
import { afterEach, expect, test } from "vitest";
import { newSourceId } from "../../src/webhooks/hops/source-id";
import { forgetRefusals } from "../../src/webhooks/sources/refusals";
import { call, eventually, type Person, signUpVerified } from "../support/client";
import { create, deliver, errorsOf, eventsOf, SIGNED, send } from "../support/sources";

const FORM = { "content-type": "application/x-www-form-urlencoded" };
const formOf = (json: string) => `payload=${encodeURIComponent(json).replaceAll("%20", "+")}`;
const rowsOf = async (id: string) =>
  (await env.DB.prepare("SELECT reason, count, bytes FROM source_errors WHERE source_id = ?").bind(id).all()).results;

afterEach(forgetRefusals);

test("github: the event of a form is the JSON in its payload, signed as the form came, and once in parallel", async () => {
  const person = await signUpVerified();
  const { id } = await create(person, "github");
  const body = `${formOf('{"action":"opened", "n":12345678901234567890,"t":"a+b & ü"}')}&x=1`;
  const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(id, "github", body, FORM)));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 202]);
  const [event, ...others] = await eventsOf(person);
  expect([event.type, others]).toEqual(["github.issues.opened", []]);
  const shown = await call("GET", `/events/${event.id}`, { token: person.token });
  expect(shown.body.data.payload).toMatchObject({ action: "opened", t: "a+b & ü" });
});

test.each(["payload=no", "payload=%ff", "a=b", "payload=%7B%22a%22", "&"])(
  "github: the form %j gets 400 though it is signed",
  async (body) => {
    const { id } = await create(await signUpVerified(), "github");
    const { status, body: answer } = await deliver(id, "github", body, FORM);
    expect([status, answer.code]).toEqual([400, "INVALID_JSON"]);
  },
);

test("a form that is not genuine gets the same 401 everywhere, and a genuine one of who sends none 415", async () => {
  const person = await signUpVerified();
  const [github, stripe] = [await create(person, "github"), await create(person, "stripe")];
  const off = await create(person, "github", { enabled: false });
  const answers = [];
  for (const id of [github.id, stripe.id, off.id, newSourceId()]) answers.push(await send(id, formOf("{}"), FORM));
  expect(answers.map(({ status, body }) => [status, body.message])).toEqual(Array(4).fill([401, "Invalid signature."]));
  expect((await deliver(stripe.id, "stripe", "a=x", FORM)).status).toBe(415);
  await hasError(person, stripe.id, "media_type");
});

const LONG = JSON.stringify("x".repeat(256 * 1024));

test.each<[reason: string, status: number, refused: (person: Person, id: string) => Promise<{ status: number }>]>([
  ["media_type", 415, (_, id) => send(id, "{}", { "content-type": "text/plain" })],
  ["too_large", 413, (_, id) => send(id, LONG)],
  ["signature", 401, (_, id) => send(id, "{}")],
  [
    "disabled",
    401,
    async ({ token }, id) => {
      await call("PATCH", `/sources/${id}`, { token, body: { enabled: false } });
      return deliver(id, "github", "{}");
    },
  ],
  [
    "schema",
    400,
    async ({ token }, id) => {
      await call("PATCH", "/tenant/event-types", { token, body: { mode: "known" } });
      return deliver(id, "github", "{}");
    },
  ],
  [
    "rate_limited",
    429,
    async (_, id) => {
      for (let n = 0; n < 30; n += 1) await deliver(id, "github", "{}");
      return deliver(id, "github", "{}");
    },
  ],
])("a call that is refused as %s (%i) leaves an entry", async (reason, status, refused) => {
  const person = await signUpVerified();
  const { id } = await create(person, "github");
  expect((await refused(person, id)).status).toBe(status);
  await eventually(`the entry ${reason}`, async () => (await rowsOf(id)).some((row) => row["reason"] === reason));
});

test("20 calls at once that middleware refuses are one entry, which counts them, and unknown sources have none", async () => {
  const person = await signUpVerified();
  const { id } = await create(person, "github");
  const unknown = newSourceId();
  const refused = (source: string) => send(source, "hello", { "content-type": "text/plain" });
  const statuses = await Promise.all(
    [id, unknown].flatMap((source) => Array.from({ length: 20 }, () => refused(source))),
  );
  expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([415]));
  await hasError(person, id, "media_type");
  expect(await rowsOf(id)).toEqual([{ reason: "media_type", count: expect.any(Number), bytes: 5 }]);
  expect(await rowsOf(unknown)).toEqual([]);
});

test("calls of an address that is refused unheard are counted with those before", async () => {
  const person = await signUpVerified();
  const { id } = await create(person, "github");
  const from = { "cf-connecting-ip": "203.0.113.78" };
  for (let n = 0; n < 20; n += 1) expect((await send(id, "{}", from)).status).toBe(401);
  expect((await deliver(id, "github", "{}", from)).status).toBe(429);
  await hasError(person, id, "signature");
  expect((await errorsOf(person, id)).map(({ reason }) => reason)).toEqual(["signature"]);
});

test("a form that was copied from GitHub can be tried", async () => {
  const person = await signUpVerified();
  const { id } = await create(person, "github");
  const body = formOf('{"action":"opened"}');
  const sample = { headers: { ...FORM, ...(await SIGNED.github(body, 0)) }, body };
  const { body: answer } = await call("POST", `/sources/${id}/test`, { token: person.token, body: sample });
  expect(answer.data).toEqual({ verified: true, type: "github.issues.opened", relayed: true });
});

const hasError = (person: Person, id: string, reason: string) =>
  eventually(`the entry ${reason}`, async () => (await errorsOf(person, id)).some((error) => error.reason === reason));
