/** The tables and lists of the documentation name all that exists, and nothing else. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import worker from "../../src";
import { SETTINGS } from "../../src/base/config/config";
import { describeCode, ERROR_CODES } from "../../src/base/errors";
import { CAPS } from "../../src/base/limits/caps";
import { BUDGETS, RULES } from "../../src/base/limits/rules";
import { LOG_FIELDS } from "../../src/base/log/log-fields";
import { LOG_LINES } from "../../src/base/log/log-lines";
import { BUILT_IN_ROLES, PERMISSIONS, permissionsOf } from "../../src/base/schemas/roles";
import { METRICS, type MetricName } from "../../src/service/metrics/catalogue";
import { get, markdown, pageOf, sources, wrangler } from "../support/docs";

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

  test("show the permissions of every role", async () => {
    const html = await pageOf("roles");
    const cellsOf = (row: string) => [...row.matchAll(/<t[hd]>(.*?)<\/t[hd]>/g)].map(([, cell = ""]) => cell);
    const [, , ...heads] =
      rows(html)
        .map(cellsOf)
        .find(([first]) => first === "Permission") ?? [];
    expect(heads).toEqual(BUILT_IN_ROLES);
    for (const permission of PERMISSIONS) {
      const [, , ...marks] = cellsOf(rowOf(html, permission) ?? "");
      const allowed = BUILT_IN_ROLES.filter((role) => permissionsOf(role).includes(permission));
      expect([permission, BUILT_IN_ROLES.filter((_, index) => marks[index] === "✓")]).toEqual([permission, allowed]);
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
      [
        "SECRET_KEYS",
        "METRICS_TOKEN",
        "CLIENT_IP_SECRET",
        "TURNSTILE_SECRET",
        "LEGACY_LOGIN_SECRET",
        "TOKEN_RSA_KEY",
        ...providerSecrets,
        ...vars,
      ].sort(),
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
  const paths = Object.keys(import.meta.glob("/test/**/*.test.ts"));
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

test("the commands of the operations page and the runbooks fit the database", async () => {
  const pages = Object.entries(markdown).filter(([path]) => /\/(operations|runbooks\/[a-z-]+)\.md$/.test(path));
  const text = pages.map(([, page]) => page).join("\n");
  const statements = [...text.matchAll(/d1 execute [^\n]*--command "([^"]+)"/g)].flatMap(([, command = ""]) =>
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
