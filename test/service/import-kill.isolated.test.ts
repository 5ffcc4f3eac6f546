/** An import of 10,000 people whose runs are killed again and again. */
import { env } from "cloudflare:workers";
import { beforeAll, expect, test } from "vitest";
import { callImports, forgetImporter, ndjson, reportOf, runKilled, sendPeople } from "../support/imports";

const PEOPLE = 10_000;
/** After how many calls to D1 each run dies: at its beginning, in the middle of a batch, and far inside. */
const CALLS = [0, 1, 2, 3, 4, 5, 8, 13, 21, 34, 35, 36];
/** Hashes are only read when they are imported. */
const HASH = "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";

beforeAll(() => forgetImporter());

test("an import of 10,000 people that is killed 24 times writes each of them once", async () => {
  const run = crypto.randomUUID();
  const people = Array.from({ length: PEOPLE }, (_, index) => ({
    email: `user-${index}-${run}@example.com`,
    externalId: `${run}-${index}`,
    emailVerified: true,
    password: { hash: HASH },
  }));
  const { id } = (await callImports("POST", "", { name: "Everybody" })).body.data;
  expect((await sendPeople("PUT", `/${id}/parts/1`, ndjson(people))).body.data.rows).toBe(PEOPLE);
  // Without the run in the background of the start.
  await env.DB.prepare("UPDATE imports SET state = 'running', started_at = 0, rows = ? WHERE id = ?")
    .bind(PEOPLE, id)
    .run();
  let kills = 0;
  for (const calls of CALLS) {
    for (const hasEffect of [false, true]) {
      kills += 1;
      expect(await runKilled(id, { kills, calls, hasEffect })).toBe("killed");
    }
  }
  expect(await runKilled(id, { kills: kills + 1, calls: Number.POSITIVE_INFINITY, hasEffect: true })).toBe("ended");
  const { data: done } = (await callImports("GET", `/${id}`)).body;
  expect(done).toMatchObject({ state: "finished", rows: PEOPLE, done: PEOPLE, created: PEOPLE, waiting: PEOPLE });
  const lines: (number | undefined)[] = [];
  for (let cursor = 0; cursor < PEOPLE; cursor += 2_000) {
    lines.push(...(await reportOf(id, `limit=2000&cursor=${cursor}`)).map(({ line }) => line));
  }
  expect(lines).toEqual(people.map((_, index) => index + 1));
  const counts = `SELECT (SELECT count(*) FROM users WHERE password_import = ?1) AS users,
    (SELECT count(*) FROM audit_events WHERE tenant_id = 'platform' AND action = 'user.created'
      AND meta ->> 'import' = ?1) AS recorded,
    (SELECT count(*) FROM audit_events WHERE tenant_id = 'platform' AND target_id = ?1) AS ended,
    (SELECT count(*) FROM import_chunks WHERE import_id = ?1) AS chunks`;
  const counted = await env.DB.prepare(counts).bind(id).first();
  expect(counted).toEqual({ users: PEOPLE, recorded: PEOPLE, ended: 1, chunks: 0 });
}, 60_000);
