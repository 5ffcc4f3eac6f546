/** The README says what is true. */
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { PERMISSIONS, permissionsOf, ROLE_NAMES } from "../../src/base/schemas/roles";
import { orderPaid } from "../../src/docs/pages/readme/publish";
import { receive } from "../../src/docs/pages/readme/receive";
import { d1Store } from "../../src/sdk/receive";
import { signUp } from "../support/client";
import { examples, markdown, pictures, readme, samples, sources, wrangler } from "../support/docs";
import { newInbox, subscribe } from "../support/receiver";
import { clientOf, serviceFetch } from "../support/sdk";

test("the README and the pages name no file that does not exist", () => {
  const paths = [sources, markdown, pictures, samples].flatMap(Object.keys);
  const named = [readme, wrangler, ...Object.values(markdown)].flatMap(
    (text) => text.match(/\bsrc\/[\w./-]+\w/g) ?? [],
  );
  const exists = (path: string) =>
    paths.some((known) => known === `../../${path}` || known.startsWith(`../../${path}/`));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !exists(path))).toEqual([]);
});

const tests = Object.keys(import.meta.glob("/test/**/*.ts"));
/** Tests whose own names the list of what to change has. */
const namedTests = import.meta.glob(["../identity/ways-inside.test.ts", "../support/sign-in-methods.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});
/** Each noun has its own. */
const OF_NOUNS = new Set(["operations.ts", "routes.ts", "routes.tsx"]);

/** The README sends to their schema for them. */
const OF_SERVICE = ["alert_mails", "first_keys", "key_checks", "legacy_login_failures", "mail_failures"];

describe("the README", () => {
  test("has at most 150 lines", () => {
    expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
  });

  test("names every table but some of the service itself", async () => {
    const { results } = await env.DB.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'd1_*' AND name NOT GLOB '*[_]cf_*'",
    ).all<{ name: string }>();
    const unnamed = results.map(({ name }) => name).filter((name) => !readme.includes(`\`${name}\``));
    expect(unnamed.sort()).toEqual(OF_SERVICE);
  });

  test("shows the permissions of every role", () => {
    const cellsOf = (row: string) =>
      row
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll("`", ""));
    const [head = [], , ...rows] = (readme.match(/## Roles and permissions[^#]*?\n((?:\|.*\n)+)/)?.[1] ?? "")
      .trimEnd()
      .split("\n")
      .map(cellsOf);
    expect(head).toEqual(["Role", ...PERMISSIONS]);
    expect(rows.map(([role]) => role)).toEqual(ROLE_NAMES);
    for (const [role = "", ...marks] of rows) {
      const shown = PERMISSIONS.filter((_, index) => marks[index] === "✓");
      expect([role, shown]).toEqual([role, [...permissionsOf(role)]]);
    }
  });

  describe("in its list of what to change", () => {
    const list = readme.match(/To add or change:\n\n([\s\S]*?)\n\n/)?.[1] ?? "";
    const words = [...list.matchAll(/`([^`\n]+)`/g)].map(([, word = ""]) => word);

    test("names nothing that the code does not have", () => {
      const text = Object.values({ ...sources, ...namedTests }).join("\n");
      const names = words.filter((word) => /^[A-Za-z]\w+$/.test(word));
      expect(names.length).toBeGreaterThan(30);
      expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
    });

    test("means by a file without a folder one beside the file before it", () => {
      const files = new Set([sources, markdown].flatMap(Object.keys).map((path) => path.slice("../../".length)));
      for (const path of tests) files.add(path.slice(1));
      const missing: string[] = [];
      let folder = "";
      for (const word of words.filter((word) => /^[\w./-]+(\/|\.tsx?|\.md)$/.test(word) && !OF_NOUNS.has(word))) {
        const path = word.includes("/") ? word : `${folder}${word}`;
        folder = path.slice(0, path.lastIndexOf("/") + 1);
        if (/^(src|test)\/.*[^/]$/.test(path) && !files.has(path)) missing.push(path);
      }
      expect(missing).toEqual([]);
    });
  });

  test("shows the examples of src/docs/pages/readme unchanged", () => {
    expect(Object.keys(examples)).toHaveLength(2);
    for (const example of Object.values(examples)) expect(readme).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
  });

  test("has examples that work: the other acts once on what one publishes", async () => {
    const person = await signUp();
    const inbox = newInbox("200");
    await subscribe(person, inbox.url);
    const client = clientOf(person).client;
    const { key } = await client.apiKeys.create({ name: "shop", scopes: ["event.publish"] });
    vi.stubGlobal("fetch", serviceFetch);
    await orderPaid(key, { id: 42, total: 99 }).finally(() => vi.unstubAllGlobals());
    const [received] = await inbox.arrived(1);
    if (!received) throw new Error("nothing arrived");
    const request = () => new Request("http://subscriber.example/", received);
    const db = env.RECEIVER_DB;
    await db.batch(
      ["CREATE TABLE orders (id INTEGER, paid INTEGER)", "INSERT INTO orders VALUES (41, 0), (42, 0)"].map((sql) =>
        db.prepare(sql),
      ),
    );
    await d1Store(db).migrate();
    const answerTo = async (secret: string) => (await receive(request(), secret, db)).text();
    expect([
      await answerTo("another secret"),
      await answerTo("a-signing-secret"),
      await answerTo("a-signing-secret"),
    ]).toEqual(["SIGNATURE_MISMATCH", "handled", "duplicate"]);
    expect((await db.prepare("SELECT id FROM orders WHERE paid").all()).results).toEqual([{ id: 42 }]);
  });
});
