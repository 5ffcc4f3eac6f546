/** The pages under /docs: each is served, its links work, and its tables match the code. */
import { createExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import worker from "../../src";
import { orderPaid } from "../../src/docs/pages/readme/publish";
import { receive } from "../../src/docs/pages/readme/receive";
import { METRICS, type MetricName } from "../../src/operations/metrics/catalogue";
import { SETTINGS } from "../../src/platform/config";
import { describeCode, ERROR_CODES } from "../../src/platform/errors";
import { CAPS } from "../../src/platform/limits/caps";
import { BUDGETS, RULES } from "../../src/platform/limits/rules";
import { LOG_FIELDS } from "../../src/platform/log-fields";
import { LOG_LINES } from "../../src/platform/log-lines";
import { PERMISSIONS, permissionsOf, ROLE_NAMES } from "../../src/platform/schemas/roles";
import { d1Store } from "../../src/sdk/receive";
import { signUp } from "../support/client";
import { newInbox, subscribe } from "../support/receiver";
import { clientOf, serviceFetch } from "../support/sdk";

const sources = import.meta.glob("../../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });
const markdown = import.meta.glob("../../src/docs/pages/*.md", { query: "?raw", import: "default", eager: true });
const examples = import.meta.glob("../../src/docs/pages/readme/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});
const pictures = import.meta.glob("../../src/docs/pages/console/*.webp", {
  query: "?url",
  import: "default",
  eager: true,
});
const rootFiles = import.meta.glob(["../../README.md", "../../wrangler.toml"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const { "../../README.md": readme = "", "../../wrangler.toml": wrangler = "" } = rootFiles;

const names = Object.keys(markdown).map((path) => path.replace(/^.*\/|\.md$/g, ""));
const pathOf = (name: string) => (name === "index" ? "/docs" : `/docs/${name}`);
const get = (path: string) => exports.default.fetch(new Request(new URL(path, "http://postern.test")));
const compressedBytes = async (text: string) =>
  (await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer()).byteLength;
const pageOf = async (name: string) => (await get(pathOf(name))).text();

describe.each(names)("%s", (name) => {
  test("is served as HTML that runs no inline script and loads nothing from another host", async () => {
    const response = await get(pathOf(name));
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
    expect(response.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; img.*trusted-types 'none'$/,
    );
    const html = await response.text();
    expect(html).not.toMatch(/<script(?! defer src="\/docs\/assets\/)| style=|<!-- table|\{\{\w+:/);
    expect(html).toMatch(/<h1 id=/);
    expect([...html.matchAll(/(?:src|<link[^>]*href)="([^"]+)"/g)].filter(([, url]) => !url?.startsWith("/"))).toEqual(
      [],
    );
  });

  test("loads only files that are served", async () => {
    const loaded = [...(await pageOf(name)).matchAll(/<(?:link|img|script)[^>]*(?:href|src)="([^"]+)"/g)];
    expect(loaded.length).toBeGreaterThan(0);
    for (const [, path = ""] of loaded) expect([path, (await get(path)).status]).toEqual([path, 200]);
  });

  test("weighs at most 60 KB with its styles and script, compressed as servers send it", async () => {
    const html = await pageOf(name);
    const loaded = [...html.matchAll(/(?:stylesheet" href|defer src)="([^"]+)"/g)].map(([, path = ""]) => path);
    const texts = [html, ...(await Promise.all(loaded.map(async (path) => (await get(path)).text())))];
    const sizes = await Promise.all(texts.map(compressedBytes));
    expect(sizes.reduce((total, size) => total + size, 0)).toBeLessThan(60_000);
  });

  test("has no broken link", async () => {
    const html = await pageOf(name);
    const links = [...html.matchAll(/<a href="([^"]+)"/g)].map(([, link = ""]) => link);
    expect(links.length).toBeGreaterThan(20);
    for (const link of links.filter((link) => !link.startsWith("https://"))) {
      if (link.startsWith("/docs/assets/")) {
        expect([link, (await get(link)).status]).toEqual([link, 200]);
        continue;
      }
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? html : await (await get(path)).text();
      expect([link, target.startsWith("<!doctype html>")]).toEqual([link, true]);
      if (anchor) expect(target).toContain(`id="${anchor}"`);
    }
  });
});

test("every page is in the navigation and in the README, those of the client's nouns in its own navigation only", async () => {
  const [reference, ofClient] = [await (await get("/docs/reference")).text(), await pageOf("client")];
  const missing = (html: string) => names.filter((name) => !html.includes(`<a href="${pathOf(name)}"`));
  const nouns = names.filter((name) => name.startsWith("client-"));
  expect(nouns.length).toBeGreaterThan(10);
  expect(missing(ofClient.match(/<nav[\s\S]*<\/nav>/)?.[0] ?? "")).toEqual([]);
  expect(missing(reference)).toEqual(nouns);
  expect(names.filter((name) => !readme.includes(`(src/docs/pages/${name}.md)`))).toEqual(nouns);
});

test("each page is also Markdown, and a list for programs has all of them", async () => {
  const list = await (await get("/docs/llms.txt")).text();
  for (const name of names) {
    expect(list).toContain(`(/docs/${name}.md)`);
    const page = await get(`/docs/${name}.md`);
    expect([name, page.status, page.headers.get("content-type")]).toEqual([name, 200, "text/markdown; charset=utf-8"]);
    expect(await page.text()).toMatch(/^# /);
  }
  expect((await get("/docs/nothing.md")).status).toBe(404);
});

test("a long page lists its sections, and each page leads back to the console", async () => {
  const html = await pageOf("operations");
  expect(html).toMatch(/<nav class="toc"[\s\S]*<a href="#alarms">Alarms<\/a>/);
  expect(html).toContain('<a href="/console">Console</a>');
});

test("the search knows each section of each page, by an address that exists", async () => {
  const entries: string[][] = await (await get("/docs/assets/search.json")).json();
  const addresses = entries.map(([address = ""]) => address);
  expect(new Set(addresses.map((address) => address.split("#")[0]))).toEqual(
    new Set([...names.map(pathOf), "/docs/reference"]),
  );
  expect(addresses).toContain("/docs/operations#key-rotation");
  for (const address of addresses.filter((one) => one.startsWith("/docs/operations#"))) {
    expect(await pageOf("operations")).toContain(`id="${address.split("#")[1]}"`);
  }
});

test("an unknown page answers 404", async () => {
  expect((await get("/docs/toString")).status).toBe(404);
});

describe("the tables", () => {
  const rows = (html: string) => html.match(/<tr>[\s\S]*?<\/tr>/g) ?? [];
  const rowOf = (html: string, name: string) => rows(html).find((row) => row.includes(`<code>${name}</code>`));

  test("list every error code with its status and message", async () => {
    const html = await pageOf("errors");
    for (const code of ERROR_CODES) {
      const { status, message } = describeCode(code);
      expect(rowOf(html, code)).toContain(`<td>${status}</td>`);
      expect(rowOf(html, code)).toContain(message);
    }
  });

  test("list every limit with the figures in force, what it counts by and its endpoints", async () => {
    const html = await pageOf("limits");
    for (const name of Object.keys(RULES)) expect(rowOf(html, name)).toContain("/");
    const login = rowOf(html, "login") ?? "";
    for (const cell of ["1000", "60", "IP address", "<code>POST /auth/login</code>", "503"])
      expect(login).toContain(cell);
    expect(rowOf(html, "publish")).toContain("allowed");
    expect(rowOf(html, "twoFactor")?.match(/POST \/auth\/2fa/g)).toHaveLength(4);
  });

  test("list every budget and cap with the figure in force", async () => {
    const html = await pageOf("limits");
    expect(rowOf(html, "TENANT_PAYLOAD_MIB_PER_MINUTE")).toContain("60 MiB of payloads");
    expect(rowOf(html, "MAX_SUBSCRIPTIONS_PER_TENANT")).toContain("500 subscriptions");
    for (const { variable } of [...Object.values(BUDGETS), ...Object.values(CAPS)]) {
      expect([variable, rowOf(html, variable)]).toEqual([variable, expect.any(String)]);
    }
    const request = new Request<unknown, IncomingRequestCfProperties>("http://postern.test/docs/limits");
    const overridden = { ...env, MAX_SUBSCRIPTIONS_PER_TENANT: "7", TENANT_DELIVERIES_PER_MINUTE: "8" };
    const page = await (await worker.fetch(request, overridden, createExecutionContext())).text();
    expect(rowOf(page, "MAX_SUBSCRIPTIONS_PER_TENANT")).toContain("7 subscriptions");
    expect(rowOf(page, "TENANT_DELIVERIES_PER_MINUTE")).toContain("8 deliveries");
  });

  test("list every setting of wrangler.toml and every log field", async () => {
    const html = await pageOf("operations");
    const vars = wrangler.match(/\[vars\]([\s\S]*?)\n\[/)?.[1]?.match(/^[A-Z_]+(?= =)/gm) ?? [];
    const providerSecrets = ["GOOGLE", "GITHUB", "MICROSOFT", "OIDC"].map((provider) => `${provider}_CLIENT_SECRET`);
    expect(SETTINGS.map(({ name }) => name).sort()).toEqual(
      ["SECRET_KEYS", "METRICS_TOKEN", "CLIENT_IP_SECRET", "TURNSTILE_SECRET", ...providerSecrets, ...vars].sort(),
    );
    for (const name of [...vars, ...Object.keys(LOG_FIELDS)])
      expect([name, rowOf(html, name)]).toEqual([name, expect.any(String)]);
  });
});

describe("the metrics page", () => {
  const page = markdown["../../src/docs/pages/metrics.md"] ?? "";
  const named = (text: string) => new Set(text.match(/postern_\w+/g));

  test("has a table of all metrics, and names no other", async () => {
    const html = await pageOf("metrics");
    for (const [name, { unit }] of Object.entries(METRICS))
      expect([name, html]).toEqual([name, expect.stringMatching(`<code>${name}</code>[^]*?<td>${unit}</td>`)]);
    expect([...named(page)].filter((name) => !(name in METRICS))).toEqual([]);
  });

  test("has eight alert rules, each of metrics and labels that exist", () => {
    const rules = [...page.matchAll(/- alert: (\w+)\n +expr: (.+)/g)];
    expect(rules).toHaveLength(8);
    for (const [, name, expression = ""] of rules) expect([name, unknownIn(expression)]).toEqual([name, []]);
  });

  test("leads to a dashboard each of whose queries is of metrics and labels that exist", async () => {
    const answer = await get("/docs/assets/grafana-dashboard.json");
    expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
    const { panels }: { panels: { targets: { expr: string }[] }[] } = await answer.json();
    const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    expect(queries.filter((query) => unknownIn(query).length > 0)).toEqual([]);
    expect(named(queries.join(" "))).toEqual(new Set(Object.keys(METRICS)));
  });

  /** The metrics of a query that do not exist, and the labels that none of its metrics has. */
  function unknownIn(query: string): string[] {
    const names = [...named(query)];
    const labels = names.flatMap((name) => METRICS[name as MetricName]?.labels ?? []) as string[];
    const lists = [...query.matchAll(/by \(([\w, ]+)\)/g)].flatMap(([, list = ""]) => list.split(", "));
    const matched = [...query.matchAll(/(\w+)=~?"/g)].map(([, label = ""]) => label);
    // `label_replace` makes the bucket label of histograms.
    const made = query.includes("label_replace") ? ["le"] : [];
    expect(names.length).toBeGreaterThan(0);
    return [
      ...names.filter((name) => !(name in METRICS)),
      ...[...lists, ...matched].filter((label) => ![...labels, ...made].includes(label)),
    ];
  }
});

test("the operations page explains every message that the service can log", async () => {
  const page = await (await get("/docs/operations")).text();
  for (const message of Object.keys(LOG_LINES)) expect(page).toContain(`<td><code>${message}</code></td>`);
});

test("every log line is written somewhere", () => {
  const text = Object.entries(sources)
    .filter(([path]) => !path.endsWith("log-lines.ts"))
    .map(([, source]) => source)
    .join("\n");
  expect(Object.keys(LOG_LINES).filter((message) => !text.includes(`"${message}"`))).toEqual([]);
});

test("each line of the threat model names tests that exist", () => {
  const paths = Object.keys(import.meta.glob("/test/**/*.test.ts", { query: "?raw", import: "default", eager: true }));
  const tests = paths.map((path) => path.match(/([^/]+\/[^/.]+)[^/]*\.test\.ts$/)?.[1]);
  const model = markdown["../../src/docs/pages/threat-model.md"] ?? "";
  const [, , ...lines] = model.match(/^\|.*\|$/gm) ?? [];
  expect(lines.length).toBeGreaterThan(20);
  for (const line of lines) {
    const named = [
      ...(line
        .split("|")
        .at(-2)
        ?.matchAll(/`([a-z/-]+)`/g) ?? []),
    ].map(([, name]) => name);
    expect([line, named.length > 0]).toEqual([line, true]);
    expect(named.filter((name) => !tests.includes(name))).toEqual([]);
  }
});

test("the commands of the operations page fit the database", async () => {
  const operations = markdown["../../src/docs/pages/operations.md"] ?? "";
  const statements = [...operations.matchAll(/d1 execute [^\n]*--command "([^"]+)"/g)].flatMap(([, command = ""]) =>
    command.split(";").filter((statement) => statement.trim() !== ""),
  );
  expect(statements.length).toBeGreaterThan(10);
  await env.DB.batch(statements.map((statement) => env.DB.prepare(`EXPLAIN ${statement}`)));
});

test("every log field is used", () => {
  const text = Object.entries(sources)
    .filter(([path]) => !path.endsWith("/log-fields.ts"))
    .map(([, source]) => source)
    .join("\n");
  expect(Object.keys(LOG_FIELDS).filter((name) => !new RegExp(`\\b${name}\\b`).test(text))).toEqual([]);
});

test("the README and the pages name no file that does not exist", () => {
  const paths = [...Object.keys(sources), ...Object.keys(markdown), ...Object.keys(pictures)];
  const named = [readme, wrangler, ...Object.values(markdown)].flatMap(
    (text) => text.match(/\bsrc\/[\w./-]+\w/g) ?? [],
  );
  const exists = (path: string) =>
    paths.some((known) => known === `../../${path}` || known.startsWith(`../../${path}/`));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !exists(path))).toEqual([]);
});

describe("the README", () => {
  test("has at most 150 lines", () => {
    expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
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
