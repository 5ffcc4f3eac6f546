/** The operators' pages of imports: the list, the report of one, its progress, and stopping it. */
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { newEmail, signUpVerified } from "../support/client";
import { holding } from "../support/console";
import { callImports, forgetImporter, importKey, importPeople, ndjson, sendPeople } from "../support/imports";
import { operator } from "../support/operators";
import { tire } from "../support/people";

const HERE = "/operator/imports";
const newImport = async (name: string) => (await callImports("POST", "", { name })).body.data.id as string;
const stateOf = async (id: string) => (await callImports("GET", `/${id}`)).body.data.state;

beforeAll(async () => {
  forgetImporter();
  // Making the key takes the address of the operator, which each operator of a test then has.
  await importKey();
});
afterEach(async () => {
  await env.DB.prepare("UPDATE imports SET state = 'stopped', ended_at = 1 WHERE ended_at IS NULL").run();
});

describe("the pages of imports", () => {
  test("show each import, its progress and what became of its lines", async () => {
    const browser = await holding(await operator());
    expect((await browser.get("/operator")).html).toContain('href="/console/operator/imports"');
    const [name, email] = [`From Auth0 ${crypto.randomUUID()}`, newEmail()];
    const { done, report } = await importPeople([{ email, metadata: {} }, { email: "no address" }], { name });
    for (const path of [HERE, `${HERE}/list`]) {
      const list = (await browser.get(path)).html;
      expect(list).toContain(`<a href="/console/operator/imports/${done.id}">${name}</a>`);
      expect(list).toContain("2 of 2 people done, 1 refused");
    }
    const { html } = await browser.get(`${HERE}/${done.id}`);
    expect(html).toContain(`<a href="/console/operator/people/${report[0]?.userId}">${email}</a>`);
    expect(html).toContain("Ignored: metadata");
    expect(html).toContain(report[1]?.reason);
    const refused = (await browser.get(`${HERE}/${done.id}?outcome=refused`)).html;
    expect([refused.includes(email), refused.includes(`${report[1]?.reason}`)]).toEqual([false, true]);
    expect((await browser.get(`${HERE}/${done.id}?outcome=`)).html).toContain(email);
    expect((await browser.get(`${HERE}/${done.id}/progress`)).html).toMatch(/<dt>Refused<\/dt><dd>1<\/dd>/);
    expect(html).not.toContain(`${done.id}/stop`);
  });

  test("lead from page to page, of imports and of lines", async () => {
    const browser = await holding(await operator());
    const people = Array.from({ length: 130 }, () => ({ email: newEmail() }));
    const { done } = await importPeople(people);
    const next = (await browser.get(`${HERE}/${done.id}`)).html.match(/href="\/console([^"]+)">More lines/)?.[1] ?? "";
    const last = (await browser.get(next.replaceAll("&amp;", "&"))).html;
    expect([last.includes(`${people[129]?.email}`), last.includes(`${people[0]?.email}`)]).toEqual([true, false]);
    const ids = [];
    for (let made = 0; made < 3; made += 1) ids.push(await newImport("Pages"));
    const older = (await browser.get(`${HERE}?limit=2`)).html.match(/href="\/console([^"]+)">Older/)?.[1] ?? "";
    expect((await browser.get(older)).html).toContain(`imports/${ids[0]}"`);
  });

  test("are for operators with a second factor", async () => {
    const [id, stranger] = [await newImport("Others"), await holding(await signUpVerified())];
    for (const path of [HERE, `${HERE}/list`, `${HERE}/${id}`, `${HERE}/${id}/progress`, `${HERE}/${id}/stop`]) {
      expect([path, (await stranger.get(path)).status]).toEqual([path, 404]);
    }
    expect((await stranger.post(`${HERE}/${id}/stop`, {})).status).toBe(404);
    expect(await stateOf(id)).toBe("open");
  });
});

describe("stopping an import", () => {
  test("asks first, keeps what is done, and is recorded", async () => {
    const somebody = await operator();
    const browser = await holding(somebody);
    const id = await newImport("To stop");
    await sendPeople("PUT", `/${id}/parts/1`, ndjson([{ email: newEmail() }]));
    expect((await browser.get(`${HERE}/${id}`)).html).toContain(`href="/console/operator/imports/${id}/stop"`);
    expect((await browser.get(`${HERE}/${id}/stop`)).html).toContain("Stop the import");
    const posted = await browser.post(`${HERE}/${id}/stop`, {});
    expect([posted.status, await stateOf(id)]).toEqual([303, "stopped"]);
    const { results } = await env.DB.prepare(
      "SELECT tenant_id AS log, action, actor_kind AS kind FROM audit_events WHERE target_id = ? AND actor_id = ?",
    )
      .bind(id, somebody.userId)
      .all<{ log: string; action: string; kind: string }>();
    expect(results.map(({ log, action, kind }) => `${log} ${action} ${kind}`).toSorted()).toEqual([
      "operators import.stopped operator",
      "operators operator.import_read operator",
      "platform import.stopped operator",
    ]);
  });

  test("needs a session that was confirmed lately", async () => {
    const [somebody, id] = [await operator(), await newImport("To keep")];
    const browser = await holding(somebody);
    await tire(somebody);
    expect((await browser.post(`${HERE}/${id}/stop`, {})).status).toBe(303);
    expect(await stateOf(id)).toBe("open");
  });

  test("that is unknown is not found", async () => {
    const browser = await holding(await operator());
    const missing = crypto.randomUUID();
    for (const path of [`${HERE}/${missing}`, `${HERE}/${missing}/progress`, `${HERE}/${missing}/stop`]) {
      expect([path, (await browser.get(path)).status]).toEqual([path, 404]);
    }
    expect((await browser.post(`${HERE}/${missing}/stop`, {})).status).toBe(404);
  });
});
