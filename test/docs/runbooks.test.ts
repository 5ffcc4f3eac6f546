/** The runbooks: what each of them says, and who links to it. */
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { describeFinding, FINDING_KINDS } from "../../src/service/alarms/findings";
import { call, signUpVerified } from "../support/client";
import { createFeed } from "../support/feeds";
import { newPortalToken } from "../support/portal";
import { revokedOf, tenantKey, userKey } from "../support/revocations";

const markdown = import.meta.glob("../../src/docs/pages/**/*.md", { query: "?raw", import: "default", eager: true });
const pageOf = (name: string) => String(markdown[`../../src/docs/pages/${name}.md`] ?? "");
const runbooks = Object.keys(markdown)
  .map((path) => path.replace(/^.*\/pages\/|\.md$/g, ""))
  .filter((name) => name.startsWith("runbooks/"));

describe.each(runbooks)("%s", (name) => {
  test("says what one sees, what it means and what to do", () => {
    const sections = [...pageOf(name).matchAll(/^## (.+)$/gm)].map(([, title]) => title);
    expect(sections.slice(0, 2)).toEqual(["What you see", "What it means"]);
    expect(sections[2]).toBe(name === "runbooks/restore" ? "Before any restore" : "What to do");
  });

  test("is in the table of the operations page", () => {
    expect(pageOf("operations")).toContain(`](${name}.md)`);
  });
});

test.each(FINDING_KINDS)("the alarm %s links to a runbook, and its row of the operations page to the same", (kind) => {
  const { runbook } = describeFinding(`${kind}:0`);
  expect(runbooks).toContain(runbook);
  const row = pageOf("operations").match(new RegExp(`^\\| \`${kind}:.*$`, "m"))?.[0];
  expect(row).toContain(`](${runbook}.md)`);
});

/** The SQL of each command of wrangler in the pages of operators, with the page. */
const commands = Object.entries(markdown).flatMap(([path, page]) =>
  [...String(page).matchAll(/d1 execute [^"]*--command "([^"]+)"/g)].map(([, sql = ""]) => [path, sql] as const),
);

describe("SQL that ends access", () => {
  const ends = /DELETE FROM (sessions|memberships|users|tenants)\b|suspended_at = unixepoch/;

  test("revokes the access tokens as well, in the same command", () => {
    const ending = commands.filter(([, sql]) => ends.test(sql));
    expect(ending.map(([path]) => path.replace(/^.*\//, "")).sort()).toEqual([
      "abuse.md",
      "account-taken.md",
      "restore.md",
    ]);
    for (const [path, sql] of ending) {
      expect([path, sql.trimStart().startsWith("INSERT OR IGNORE INTO revocations (at, key)")]).toEqual([path, true]);
    }
    const inline = Object.values(markdown).filter((page) => /^[^"\n]*`DELETE FROM sessions/m.test(String(page)));
    expect(inline).toEqual([]);
  });

  const run = async (page: string, change: (sql: string) => string) => {
    const [, sql = ""] = commands.find(([path, text]) => path.endsWith(`/${page}.md`) && ends.test(text)) ?? [];
    for (const statement of change(sql).split(";")) await env.DB.prepare(statement).run();
  };

  test("of a person ends sessions, portal tokens and keys, and is in the list", async () => {
    const person = await signUpVerified();
    const { token } = await newPortalToken(person.token);
    const opens = async (credential: string) => (await call("GET", "/webhooks", { token: credential })).status;
    expect([await opens(person.token), await opens(token)]).toEqual([200, 200]);
    await run("account-taken", (sql) => sql.replaceAll("ada@example.com", person.email));
    expect([await opens(person.token), await opens(token)]).toEqual([401, 401]);
    expect(await revokedOf(person)).toContain(userKey(person));
  });

  test("of a tenant ends all ways into it, and is in the list", async () => {
    const person = await signUpVerified();
    const feed = await createFeed(person);
    const { token } = await newPortalToken(person.token);
    await run("abuse", (sql) => sql.replaceAll("$TENANT", person.tenantId));
    for (const credential of [person.token, token]) {
      expect((await call("GET", "/webhooks", { token: credential })).status).toBe(401);
    }
    expect((await call("GET", `/feeds/${feed.id}/events`, { token: feed.token })).status).toBe(401);
    expect(await revokedOf(person)).toContain(tenantKey(person));
  });
});

test("each alert rule links to a runbook", () => {
  const rules = pageOf("metrics");
  const linked = [...rules.matchAll(/runbook_url: "https:[^"]*\/docs\/([a-z/-]+)"/g)].map(([, name = ""]) => name);
  expect(linked).toHaveLength([...rules.matchAll(/- alert:/g)].length);
  expect(linked.filter((name) => !runbooks.includes(name))).toEqual([]);
});
