/**
 * The mails about failing subscriptions: who gets them, how often, what they say, and that none is lost or sent twice.
 */
import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import worker from "../../src";
import type { Deps } from "../../src/base/deps";
import type { MailJob } from "../../src/base/mail/job";
import { call, eventually, logIn, type Person, setRole, signUp, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { attempt, episodeOf, pass, review } from "../support/failing";
import { mailsTo } from "../support/mailbox";
import { newInbox, subscribe } from "../support/receiver";
import { deliveryDb } from "../support/shard";

const HOUR_MS = 3_600_000;
const PATH = "/secret-path";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() }));
afterEach(() => void vi.useRealTimers());

const alerts = ({ email }: Pick<Person, "email">) => mailsTo(email).filter(({ text }) => text.includes("/alerts"));

/** Adds a subscription to a tenant and lets it fail for an hour. */
async function failed(person: Person, name: string): Promise<string> {
  const webhookId = await subscribe(person, `${newInbox("500").url}${PATH}`, { name });
  await attempt(person, webhookId, 10);
  await deliveryDb.batch([
    deliveryDb
      .prepare("UPDATE episodes SET failing_since = failing_since - ? WHERE subscription_id = ?")
      .bind(HOUR_MS, webhookId),
    deliveryDb
      .prepare("UPDATE hourly_stats SET failing_since = failing_since - ? WHERE subscription_id = ?")
      .bind(HOUR_MS, webhookId),
  ]);
  return webhookId;
}

/** Adds a member to a tenant, as the database would hold it. */
async function member(of: Person, role: string, isVerified = true): Promise<Person> {
  const person = await (isVerified ? signUpVerified() : signUp());
  await env.DB.prepare("UPDATE memberships SET tenant_id = ? WHERE user_id = ?").bind(of.tenantId, person.userId).run();
  await setRole({ ...person, tenantId: of.tenantId }, role);
  return person;
}

/** Takes the jobs that reviews queue, in place of the real queue. */
function jobsOf() {
  const jobs: MailJob[] = [];
  const send = async (job: MailJob) => {
    jobs.push(job);
  };
  const into = (deps: Deps): Deps => ({ ...deps, mailQueue: { ...deps.mailQueue, send } as unknown as Queue<MailJob> });
  return { jobs, into };
}

/** Hands jobs to the consumer as messages of one batch, or each in a batch of its own at the same time. */
async function consume(bodies: readonly MailJob[], attempts = 1, settings: object = {}) {
  const messages = bodies.map((body, index) => ({ id: `m${index}`, timestamp: new Date(), attempts, body }));
  const batch = createMessageBatch("postern-mail", messages);
  const context = createExecutionContext();
  await worker.queue(batch, { ...env, ...settings } as Env, context);
  return getQueueResult(batch, context);
}

describe("recipients", () => {
  test("are the verified owners and admins of the tenant who have not turned the mails off", async () => {
    const owner = await signUpVerified();
    const admin = await member(owner, "admin");
    const others = [
      await member(owner, "developer"),
      await member(owner, "viewer"),
      await member(owner, "owner", false),
    ];
    const quiet = await member(owner, "admin");
    const { token } = await logIn(quiet);
    const answer = await call("PATCH", "/members/me", { token, body: { alerts: false } });
    expect(answer.body.data).toEqual({ alerts: false });
    expect((await call("GET", "/auth/me", { token })).body.data.alerts).toBe(false);
    await failed(owner, "Orders");
    await review();
    await eventually("both mails", async () => alerts(owner).length === 1 && alerts(admin).length === 1);
    expect([...others, quiet].flatMap(alerts)).toEqual([]);
  });

  test("turn the mails off and on in the console", async () => {
    const person = await signUpVerified();
    const browser = await holding(await logIn(person));
    expect((await browser.get("/alerts")).html).toContain("Turn off for me");
    await browser.post("/alerts", { alerts: "off" });
    const me = async () => (await call("GET", "/auth/me", { token: person.token })).body.data.alerts;
    expect(await me()).toBe(false);
    await browser.post("/alerts", { alerts: "on" });
    expect(await me()).toBe(true);
  });
});

describe("a digest", () => {
  test("comes at most once an hour, and names every failing subscription, new ones first", async () => {
    const person = await signUpVerified();
    await failed(person, "First");
    await review();
    await eventually("the first mail", async () => alerts(person).length === 1);
    await failed(person, "Second");
    await failed(person, "Third");
    for (let minute = 0; minute < 3; minute += 1) {
      pass(60_000);
      await review();
    }
    expect(alerts(person)).toHaveLength(1);
    pass(HOUR_MS);
    await review();
    const [, digest] = await eventually("the second mail", async () => alerts(person).length === 2 && alerts(person));
    expect(digest?.subject).toBe("2 of your webhook subscriptions are failing");
    expect(digest?.text).toMatch(/"Second".*"Third".*Still failing or disabled: "First"/s);
  });

  test("says what fails, since when, why, what to do, and by when, but neither payload nor full URL", async () => {
    const person = await signUpVerified();
    const webhookId = await failed(person, "Orders & <more>");
    await review();
    const [mail] = await eventually("the mail", async () => alerts(person).length === 1 && alerts(person));
    expect(mail?.text).toMatch(/"Orders & <more>" \(receiver\.example\) is failing\./);
    expect(mail?.text).toMatch(
      /failed since .* UTC: 10 failed attempts, the last one with "500 Internal Server Error"\./,
    );
    expect(mail?.text).toMatch(
      /Check that receiver\.example is reachable .* If no delivery succeeds before .* UTC, we will/,
    );
    expect(mail?.text).toContain(`http://localhost:8787/console/webhooks/${webhookId}\n`);
    expect(mail?.text).toContain("http://localhost:8787/console/alerts\n");
    expect(mail?.html).toContain("Orders &amp; &lt;more&gt;");
    expect(`${mail?.text}${mail?.html}`).not.toContain(PATH);
  });

  test("names at most 20 subscriptions and counts the rest", async () => {
    const person = await signUpVerified();
    const first = await failed(person, "First");
    const { jobs, into } = jobsOf();
    for (let copy = 0; copy < 24; copy += 1) {
      const id = `${first.slice(0, 33)}x${String(copy).padStart(2, "0")}`;
      await deliveryDb.batch(
        [
          ["subscriptions", "id"],
          ["hourly_stats", "subscription_id"],
          ["episodes", "subscription_id"],
        ].map(([table = "", key = ""]) => copyRow(table, key, first, id)),
      );
    }
    await review({}, into);
    expect(jobs).toMatchObject([{ items: { length: 20 }, more: 5 }]);
  });
});

/** A statement that copies the row of a subscription under another id. */
function copyRow(table: string, key: string, from: string, to: string): D1PreparedStatement {
  const columns: Record<string, string> = {
    subscriptions: `tenant_id, name, url, events, secret_sealed, secret_digest, enabled, is_deleted, version,
      created_at, updated_at`,
    hourly_stats: "hour, failed, failure_count, failing_since, sent_failures",
    episodes: "tenant_id, failing_since, stage, mailed_stage, mailed_at, is_mail_waiting",
  };
  const copied = columns[table] ?? "";
  return deliveryDb
    .prepare(`INSERT INTO ${table} (${key}, ${copied}) SELECT ?, ${copied} FROM ${table} WHERE ${key} = ?`)
    .bind(to, from);
}

describe("exactly one mail for each notice", () => {
  /** The n-th call of a kind fails before or after it has had its effect. */
  function killed(deps: Deps, at: { call: number; after: boolean }): Deps {
    let calls = 0;
    const fail = async <T>(work: () => Promise<T>): Promise<T> => {
      calls += 1;
      if (calls !== at.call) return work();
      if (at.after) await work();
      throw new Error("killed");
    };
    const wrapped = (database: Deps["db"]): Deps["db"] => {
      const client = {
        ...database.$client,
        batch: (list: D1PreparedStatement[]) => fail(() => database.$client.batch(list)),
      };
      return { ...database, $client: client } as unknown as Deps["db"];
    };
    const send = (job: MailJob) => fail(() => deps.mailQueue.send(job));
    return {
      ...deps,
      db: wrapped(deps.db),
      shards: { ...deps.shards, db: (shard) => wrapped(deps.shards.db(shard)) },
      mailQueue: { send } as unknown as Queue<MailJob>,
    };
  }

  /** A review that may be killed. The upkeep repeats it a minute later. */
  const reviewUntilKilled = (change: (deps: Deps) => Deps) =>
    review({}, change).catch((error: unknown) => {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      expect(cause).toMatchObject({ message: "killed" });
    });

  /**
   * A review makes one call for each shard, one for the recipients, one job for each of two, and one for what is
   * queued.
   */
  const KILLS = [1, 2, 3, 4, 5, 6].flatMap((call) => [
    { call, after: false },
    { call, after: true },
  ]);

  /** The review that repeats a killed one is killed, too. */
  const KILLED_AGAIN = KILLS.slice(0, 8).map((second) => ({ call: 5, after: false, second }));

  test.each([...KILLS.map((at) => ({ ...at, second: undefined })), ...KILLED_AGAIN])(
    "when call %j of a review fails",
    async ({ second, ...at }) => {
      const owner = await signUpVerified();
      const admin = await member(owner, "admin");
      const webhookId = await failed(owner, "Orders");
      const { jobs, into } = jobsOf();
      await reviewUntilKilled((deps) => killed(into(deps), at));
      pass(60_000);
      if (second) await reviewUntilKilled((deps) => killed(into(deps), second));
      pass(60_000);
      await review({}, into);
      pass(60_000);
      await review({}, into);
      expect(await episodeOf(webhookId)).toMatchObject({ stage: 1, mailed_stage: 1, is_mail_waiting: 0 });
      await consume(jobs);
      await Promise.all(jobs.map((job) => consume([job])));
      expect([alerts(owner).length, alerts(admin).length]).toEqual([1, 1]);
    },
  );

  test("when ten consumers get the same job at once", async () => {
    const owner = await signUpVerified();
    await failed(owner, "Orders");
    const { jobs, into } = jobsOf();
    await review({}, into);
    const results = await Promise.all(Array.from({ length: 10 }, () => consume(jobs)));
    expect(alerts(owner)).toHaveLength(1);
    const again = results.flatMap(({ retryMessages }) => retryMessages);
    expect((await consume(jobs, 2)).explicitAcks).toHaveLength(1);
    expect(again.length).toBeLessThan(10);
    expect(alerts(owner)).toHaveLength(1);
  });

  test("when the provider refuses for a while", async () => {
    const owner = await signUpVerified();
    await failed(owner, "Orders");
    const { jobs, into } = jobsOf();
    await review({}, into);
    const refusing = { EMAIL: { send: () => Promise.reject(new Error("down")) } };
    for (let attempts = 1; attempts <= 3; attempts += 1) {
      expect((await consume(jobs, attempts, refusing)).retryMessages).toHaveLength(1);
    }
    expect((await consume(jobs, 4)).explicitAcks).toHaveLength(1);
    expect(alerts(owner)).toHaveLength(1);
  });

  test("when its consumer died before it could send", async () => {
    const owner = await signUpVerified();
    await failed(owner, "Orders");
    const { jobs, into } = jobsOf();
    await review({}, into);
    const [{ id = "" } = {}] = jobs;
    await env.DB.prepare("INSERT INTO alert_mails (id, claimed_at) VALUES (?, ?)").bind(id, Date.now()).run();
    expect((await consume(jobs)).retryMessages).toHaveLength(1);
    pass(6 * 60_000);
    expect((await consume(jobs, 2)).explicitAcks).toHaveLength(1);
    expect(alerts(owner)).toHaveLength(1);
  });
});
