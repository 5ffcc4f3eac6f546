/** The console shows what is wrong with a subscription, what happens next, what waits, and the button that helps. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createDeps } from "../../src/base/deps";
import { releaseHeld } from "../../src/webhooks/delivery/lanes/release";
import { eventually, logIn, type Person, setRole, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { sweepNow } from "../support/engine";
import { answerWith, attempt, pass, review } from "../support/failing";
import { newInbox, publish, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";
import { maintain } from "../support/upkeep";

const HOUR_MS = 3_600_000;
const sendHeld = (count: number) => `Enable and send ${count} held</button>`;
const dropHeld = (count: number) => `Enable and drop ${count} held</button>`;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() }));
afterEach(() => void vi.useRealTimers());

/** Returns the HTML of a page. Sessions end when the clock is moved by days, so each call signs in anew. */
const open = async (person: Person, path: string) => (await (await holding(await logIn(person))).get(path)).html;
const press = async (person: Person, path: string) => {
  const browser = await holding(await logIn(person));
  return (await browser.follow(await browser.post(path))).html;
};

/** Removes the tags. */
const textOf = (html: string) => html.replace(/<[^>]+>/g, "").replace(/\s+/g, " ");

/** How a page marks a time. */
const at = (ms: number) => `datetime="${new Date(ms).toISOString()}"`;

async function failing(person: Person, attempts: number, delivery: object = {}): Promise<string> {
  const id = await subscribe(await logIn(person), newInbox("500").url, { delivery });
  await attempt(person, id, attempts);
  return id;
}

/** Disabled after failures since `failingSince`, with two held deliveries. */
async function disabled(person: Person, delivery: object = { onDisable: "hold" }) {
  const failingSince = Date.now();
  const id = await failing(person, 20, delivery);
  pass(121 * HOUR_MS);
  await review();
  const disabledAt = Date.now();
  for (const n of [1, 2]) {
    pass(10);
    await publish(await logIn(person), n);
  }
  return { id, path: `/webhooks/${id}`, failingSince, disabledAt };
}

/** A paused subscription with `count` held deliveries. */
async function held(person: Person, url: string, count: number): Promise<string> {
  const id = await subscribe(await logIn(person), url, { delivery: { onPause: "hold" } });
  await press(person, `/webhooks/${id}/pause`);
  for (let n = 1; n <= count; n++) {
    pass(10);
    await publish(await logIn(person), n);
  }
  pass(1_000);
  return id;
}

async function release(): Promise<void> {
  const context = createExecutionContext();
  await maintain(await createDeps(env, context), releaseHeld);
  await waitOnExecutionContext(context);
}

const isEnabled = async (id: string) =>
  (await deliveryDb.prepare("SELECT enabled FROM subscriptions WHERE id = ?").bind(id).first("enabled")) === 1;

const countHeld = (id: string) =>
  deliveryDb.prepare("SELECT count(*) AS n FROM outbox WHERE queue = ?").bind(id).first<number>("n");

describe("a failing subscription", () => {
  test("says since when, why, how to fix it, and when it will be disabled", async () => {
    const person = await signUpVerified();
    const failingSince = Date.now();
    const html = await open(person, `/webhooks/${await failing(person, 3)}`);
    expect(textOf(html)).toMatch(
      /3 failed attempts since the last success\. ?Last error: 500 Internal Server Error\. The receiver.*s answer says/,
    );
    expect(textOf(html)).toContain("if no delivery succeeds before then and at least 20 attempts have failed");
    expect(html).toContain(at(failingSince));
    expect(html).toContain(at(failingSince + 120 * HOUR_MS));
  });

  test("says how many deliveries have failed for good, and sends them again", async () => {
    const person = await signUpVerified();
    const inbox = newInbox("500");
    const id = await subscribe(await logIn(person), inbox.url, { delivery: { retry: { schedule: [] } } });
    for (const n of [1, 2]) await publish(await logIn(person), n);
    await inbox.arrived(2);
    pass(1_000);
    const path = `/webhooks/${id}`;
    await eventually("the count", async () =>
      textOf(await open(person, path)).includes("2 deliveries of the last 7 days failed and will not be tried again."),
    );
    const html = await open(person, path);
    expect(html).toContain("Send 2 failed again</button>");
    await answerWith(id, "200");
    pass(1_000);
    const fields = Object.fromEntries(
      [...html.matchAll(/<input type="hidden" name="(which|period|rate)" value="(\w+)"/g)].map(([, name, value]) => [
        name ?? "",
        value ?? "",
      ]),
    );
    const browser = await holding(await logIn(person));
    const shown = await browser.follow(await browser.post(`${path}/replays`, fields));
    expect(shown.html).toContain("Replay started.");
    await eventually("the successes", async () => !(await open(person, path)).includes("failed again</button>"));
    await eventually("the outcome", async () =>
      / (\d+) deliver(?:y|ies) queued, \1 delivered/.test((await browser.get(`${path}/replays/list`)).html),
    );
  });

  test("with more attempts than a page counts, leads to the count", async () => {
    const person = await signUpVerified();
    const id = await failing(person, 1);
    pass(1_000);
    await deliveryDb
      .prepare(
        `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
         INSERT INTO attempts (subscription_id, id, event_id, event_type, kind, status, attempt_count, attempted_at)
         SELECT a.subscription_id, substr(a.id, 1, 24) || printf('%012d', i), a.event_id, a.event_type, a.kind,
           'success', 1, a.attempted_at
         FROM attempts a CROSS JOIN n WHERE a.subscription_id = ? AND a.status = 'failed'`,
      )
      .bind(id)
      .run();
    expect(await open(person, `/webhooks/${id}`)).toContain(
      `href="/console/webhooks/${id}/replays/preview?which=failed&amp;period=168"`,
    );
  });

  test("that has failed for long enough, but too few times, says what is missing", async () => {
    const person = await signUpVerified();
    const id = await failing(person, 3);
    pass(121 * HOUR_MS);
    await review();
    const text = textOf(await open(person, `/webhooks/${id}`));
    expect(text).toContain("It will be disabled once 20 attempts have failed");
    expect(text).not.toMatch(/disabled on \d/);
    expect(await isEnabled(id)).toBe(true);
  });

  test("says nothing of disabling if it is never disabled", async () => {
    const person = await signUpVerified();
    const text = textOf(await open(person, `/webhooks/${await failing(person, 3, { autoDisable: false })}`));
    expect(text).toContain("Failing since");
    expect(text).not.toContain("disabled on");
  });
});

describe("a disabled subscription", () => {
  test("says when and why, what it holds, and when the next probe comes", async () => {
    const person = await signUpVerified();
    const { path, failingSince, disabledAt } = await disabled(person);
    const html = await open(person, path);
    expect(textOf(html)).toMatch(/Disabled on .* No delivery has succeeded since/);
    expect(textOf(html)).toContain("2 deliveries are held");
    for (const moment of [failingSince, disabledAt, disabledAt + HOUR_MS]) expect(html).toContain(at(moment));
    expect(html).toContain(sendHeld(2));
    expect(html).toContain(dropHeld(2));
  });

  test("that holds nothing has one button, which enables it", async () => {
    const person = await signUpVerified();
    const { id, path } = await disabled(person, {});
    const html = await open(person, path);
    expect(textOf(html)).toContain("No new events are sent to it.");
    expect(html).toContain("Enable</button>");
    expect(html).not.toMatch(/Enable and|Resume<\/button>/);
    expect(textOf(await press(person, `${path}/resume`))).not.toContain("Disabled on");
    expect(await isEnabled(id)).toBe(true);
  });

  test("offers to enable it after a test that succeeds", async () => {
    const person = await signUpVerified();
    const { id, path } = await disabled(person);
    await answerWith(id, "200");
    expect(textOf(await open(person, path))).toContain("Send a test when its URL works again.");
    pass(1_000);
    await press(person, `${path}/test`);
    await eventually("the offer", async () => textOf(await open(person, path)).includes("A test has succeeded"));
  });
});

describe("a subscription that holds deliveries", () => {
  test("shows how many, and sends them when it is enabled", async () => {
    const person = await signUpVerified();
    const inbox = newInbox("200");
    const id = await held(person, inbox.url, 3);
    const path = `/webhooks/${id}`;
    const html = await open(person, path);
    expect(textOf(html)).toContain("Paused.3 deliveries are held. New events are held too.");
    expect(html).toContain(sendHeld(3));
    expect(html).not.toContain("Resume</button>");
    // The receiver has asked for a pause, so that they are still to send when the pages are read.
    const pauseUntil = (untilMs: number) =>
      deliveryDb.prepare("UPDATE subscriptions SET held_until = ? WHERE id = ?").bind(untilMs, id).run();
    await pauseUntil(Date.now() + 3_600_000);
    await press(person, `${path}/resume`);
    expect(textOf(await open(person, ""))).toContain("3 deliveries are still to send.");
    expect(textOf(await open(person, path))).toContain("3 deliveries are still to be sent, oldest first.");
    await pauseUntil(0);
    await sweepNow();
    // They are sent at once, so they may arrive in any order.
    expect((await inbox.arrived(3)).map(({ body }) => body).toSorted()).toEqual(["1", "2", "3"]);
    await eventually("the results", async () => (await countHeld(id)) === 0);
    await sweepNow();
    for (const page of ["", path]) expect(textOf(await open(person, page))).not.toContain("still to");
  });

  test("sends none of them when it is enabled without them", async () => {
    const person = await signUpVerified();
    const inbox = newInbox("200");
    const id = await held(person, inbox.url, 1);
    const [, drop = ""] = /action="\/console([^"]+held=drop)"/.exec(await open(person, `/webhooks/${id}`)) ?? [];
    expect(textOf(await open(person, `/webhooks/${id}`))).toContain("1 delivery is held");
    await press(person, drop);
    expect(await isEnabled(id)).toBe(true);
    pass(1_000);
    await publish(await logIn(person), "new");
    await release();
    await release();
    await sweepNow();
    expect((await inbox.arrived(1)).map(({ body }) => body)).toEqual(['"new"']);
  });
});

test("a viewer sees all of it without a button", async () => {
  const person = await signUpVerified();
  const paths = [
    `/webhooks/${await held(person, newInbox("200").url, 1)}`,
    (await disabled(person)).path,
    `/webhooks/${await failing(person, 3)}`,
  ];
  await setRole(person, "viewer");
  const shown = await Promise.all(paths.map((path) => open(person, path)));
  expect(shown.map((html) => /Paused\.|Disabled on|3 failed attempts/.exec(textOf(html))?.[0])).toEqual([
    "Paused.",
    "Disabled on",
    "3 failed attempts",
  ]);
  for (const html of shown) expect(html).not.toMatch(/\/(resume|test|edit)["?]|failed again/);
});

test("the overview counts what fails, what is disabled and what is held", async () => {
  const person = await signUpVerified();
  expect(textOf(await open(person, ""))).not.toContain("Failing");
  const { id } = await disabled(person);
  for (const _ of [1, 2, 3]) await failing(person, 1);
  const { id: eventId } = await publish(await logIn(person), 3);
  await deliveryDb
    .prepare(
      `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1201)
       INSERT INTO outbox (queue, due_at, id, tenant_id, subscription_id, event_id, kind, bytes)
       SELECT ?1, ?2 + i, printf('%08d', i) || substr(?3, 9), ?4, ?1, ?3, 'event', 1 FROM n`,
    )
    .bind(id, Date.now(), eventId, person.tenantId)
    .run();
  expect(textOf(await open(person, ""))).toContain("1 subscription was disabled. 1,204 deliveries are held.");
});
