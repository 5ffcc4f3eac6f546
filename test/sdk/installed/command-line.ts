/** The command line: each command, its exit status, and what it prints where. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../../browser/dev-server.ts";
import { HARD } from "../../support/hard-document.ts";
import { folder, key, receiver, server, start } from "./stage.ts";

const ACCOUNT_FILE = join(folder, "postern/config.json");
const runCommand = (...given: Parameters<typeof start>) => start(...given).ended;
const signedIn = () => ({ env: { POSTERN_URL: server.base, POSTERN_KEY: key } });

export function commandLine(): void {
  test.each<[string[], number, RegExp]>([
    [["publish", "OrderPaid"], 3, /Not signed in\./],
    [["tail", "now"], 2, /no arguments/],
    [["listen"], 2, /--forward URL/],
    [["listen", "--forward", "http://example.com/hooks"], 2, /--allow-remote/],
    [["listen", "--forward", "http://localhost:1", "--replay", "soon"], 2, /30m, 1h/],
    [["nonsense"], 2, /Unknown command: nonsense/],
    [["publish", "OrderPaid", "--nonsense"], 2, /nonsense/],
    [["publish"], 2, /type/],
    [["login"], 2, /--url/],
    [["import", "endpoints"], 2, /FILE/],
    [["import", "endpoints", "--from", "svix"], 3, /SVIX_TOKEN/],
  ])("before signing in, %j exits with %i and prints no result", async (args, status, message) => {
    const ended = await runCommand(args);
    expect(ended).toMatchObject({ status, out: "" });
    expect(ended.err).toMatch(message);
  });

  test("help lists every command, and each command every option", async () => {
    const { status, out } = await runCommand(["--help"]);
    expect([status, out]).toEqual([0, expect.stringContaining("import endpoints FILE")]);
    expect((await runCommand(["publish", "--help"])).out).toContain("--idempotency-key KEY");
    expect((await runCommand(["--version"])).out).toBe(
      `${(JSON.parse(readFileSync("package.json", "utf8")) as { version: string }).version}\n`,
    );
  });

  test("a key that does not work is not kept, and a service that is not there exits with 4", async () => {
    expect((await runCommand(["login", "--url", server.base], { input: `ak_${"x".repeat(40)}` })).status).toBe(3);
    const nobody = `http://127.0.0.1:${await freePort()}`;
    expect((await runCommand(["login", "--url", nobody], { input: key })).status).toBe(4);
    expect((await runCommand(["publish", "OrderPaid"])).status).toBe(3);
  });

  test("login keeps the key in a file of one's own and never prints it; then commands need no environment", async () => {
    mkdirSync(dirname(ACCOUNT_FILE), { recursive: true });
    writeFileSync(ACCOUNT_FILE, "{}", { mode: 0o644 });
    const ended = await runCommand(["login", "--url", server.base], { input: `${key}\n` });
    expect(ended).toMatchObject({ status: 0, out: expect.stringContaining(ACCOUNT_FILE) });
    expect(ended.out + ended.err).not.toContain(key);
    expect(statSync(ACCOUNT_FILE).mode & 0o777).toBe(0o600);
    expect((await runCommand(["publish", "OrderPaid"])).status).toBe(0);
    rmSync(ACCOUNT_FILE);
  });

  test("publish takes its payload from the argument, a file and standard input, and is not repeated with a key", async () => {
    writeFileSync(join(folder, "payload.json"), '\uFEFF{"order":42}\n');
    const published = [];
    for (const [payload, input] of [['{"order":42}'], ["@payload.json"], ["-", '{"order":42}']]) {
      const args = ["publish", "OrderPaid", "--payload", payload ?? "", "--idempotency-key", "order-42", "--json"];
      const { status, out } = await runCommand(args, { ...signedIn(), input: input ?? "" });
      published.push([status, (JSON.parse(out) as { id: string }).id]);
    }
    expect(published).toEqual(Array(3).fill([0, published[0]?.[1]]));
    const other = ["publish", "OrderPaid", "--payload", "1", "--idempotency-key", "order-42"];
    expect(await runCommand(other, signedIn())).toMatchObject({
      status: 1,
      out: "",
      err: expect.stringContaining("another body"),
    });
    expect(await runCommand(["publish", "OrderPaid", "--payload", "{"], signedIn())).toMatchObject({ status: 2 });
    expect((await runCommand(["publish", "OrderPaid", "--order-key", "order 7"], signedIn())).out).toContain(
      "number 1 of order 7",
    );
  });

  test("types writes the declared types as TypeScript or as a document", async () => {
    const scoped = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ name: "order.paid", schema: { type: "object", required: ["total"] } });
    await fetch(`${server.base}/api/v1/event-types`, { method: "POST", headers: scoped, body });
    expect((await runCommand(["types"], signedIn())).out).toMatch(/interface PosternEvents \{\n {2}"order.paid": \{/);
    const file = join(folder, "openapi.json");
    const ended = await runCommand(["types", "--format", "openapi", "--out", file, "--json"], signedIn());
    expect([ended.status, JSON.parse(ended.out)]).toEqual([0, { file, format: "openapi" }]);
    expect(JSON.parse(readFileSync(file, "utf8"))).toHaveProperty(["webhooks", "order.paid"]);
    expect((await runCommand(["types", "--format", "yaml"], signedIn())).status).toBe(2);
    expect((await runCommand(["types", "--out", folder], signedIn())).status).toBe(1);
  });

  test("import endpoints creates, then changes nothing more, and names what is refused", async () => {
    const file = join(folder, "endpoints.json");
    const endpoint = {
      externalId: "ep_1",
      url: receiver.url("/200/imported"),
      events: ["Imported"],
      secret: "a-secret-1",
    };
    writeFileSync(file, JSON.stringify([endpoint]));
    expect((await runCommand(["import", "endpoints", file, "--dry-run"], signedIn())).out).toMatch(/^created: 1, /);
    expect((await runCommand(["import", "endpoints", file, "--print"])).out).toContain("ep_1");
    expect((await runCommand(["import", "endpoints", file], signedIn())).out).toMatch(/^created: 1, /);
    expect((await runCommand(["import", "endpoints", file], signedIn())).out).toContain("unchanged: 1");
    writeFileSync(file, JSON.stringify([endpoint, { ...endpoint, externalId: "ep_2", url: "ftp://example.com" }]));
    const refused = await runCommand(["import", "endpoints", file, "--json"], signedIn());
    expect([refused.status, refused.err]).toEqual([1, expect.stringContaining("ep_2: url")]);
    expect(JSON.parse(refused.out)).toMatchObject([{ outcome: "unchanged" }, { index: 1, outcome: "refused" }]);
    expect(
      (await runCommand(["import", "endpoints", file], { env: { ...signedIn().env, POSTERN_KEY: "ak_no" } })).status,
    ).toBe(3);
  });

  test("import endpoints reads every application of Svix with its secrets and headers", async () => {
    const pages: Record<string, unknown> = {
      "/api/v1/app": { data: [{ id: "app_1", uid: "customer-7" }], iterator: "app_1", done: false },
      "/api/v1/app?iterator": { data: [{ id: "app_2" }], iterator: null, done: true },
      "/api/v1/app/app_1/endpoint": {
        data: [{ id: "ep_9", url: "https://example.com/hook", filterTypes: ["order.paid"], disabled: true }],
        done: true,
      },
      "/api/v1/app/app_1/endpoint/ep_9/secret": { key: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" },
      "/api/v1/app/app_1/endpoint/ep_9/headers": { headers: { "X-Team": "billing" } },
      "/api/v1/app/app_2/endpoint": { data: [], done: true },
    };
    const svix = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "", "http://svix");
      const page = pages[searchParams.has("iterator") ? `${pathname}?iterator` : pathname];
      const isSignedIn = request.headers.authorization === "Bearer svix-token";
      response.writeHead(isSignedIn ? (page ? 200 : 404) : 401).end(JSON.stringify(page ?? {}));
    });
    await new Promise<void>((done) => svix.listen(0, "127.0.0.1", done));
    onTestFinished(() => void svix.close());
    const api = `http://127.0.0.1:${(svix.address() as AddressInfo).port}`;
    const args = ["import", "endpoints", "--from", "svix", "--api-url", api, "--print"];
    expect((await runCommand(args, { env: { SVIX_TOKEN: "wrong" } })).status).toBe(3);
    const { status, out } = await runCommand(args, { env: { SVIX_TOKEN: "svix-token" } });
    expect(status).toBe(0);
    expect(JSON.parse(out)).toEqual([
      {
        tenant: "ext:customer-7",
        endpoints: [
          {
            externalId: "ep_9",
            url: "https://example.com/hook",
            events: ["order.paid"],
            secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            enabled: false,
            delivery: { headers: { "X-Team": "billing" }, signatureProfile: { kind: "svix" } },
          },
        ],
      },
      { tenant: "ext:app_2", endpoints: [] },
    ]);
  });

  test("listen passes each delivery on with its bytes, prints a line, and closes its listener when interrupted", async () => {
    await runCommand(["publish", "Earlier"], signedIn());
    const args = ["listen", "--forward", receiver.url("/200/heard"), "--events", "Earlier,Heard", "--replay", "1h"];
    const { child, printed, ended } = start([...args, "--print-secret"], signedIn());
    const shows = (text: RegExp) => expect.poll(() => printed.out, { timeout: 30_000 }).toMatch(text);
    try {
      await expect.poll(() => printed.err, { timeout: 30_000 }).toContain("Listening");
      await shows(/^whsec_/);
      await runCommand(["publish", "Heard", "--payload", HARD], signedIn());
      await shows(/Heard {2}[0-9a-f-]{36} {2}200 {2}\d+ ms/);
      expect(receiver.arrivals.map(({ body }) => body)).toContainEqual(expect.stringContaining(HARD));
      await shows(/Earlier {2}[0-9a-f-]{36} {2}200/);
    } finally {
      child.kill("SIGINT");
    }
    expect((await ended).status).toBe(0);
    const headers = { "x-api-key": key };
    const left = (await (await fetch(`${server.base}/api/v1/listen`, { headers })).json()) as { data: unknown[] };
    expect(left.data).toEqual([]);
  });

  test("tail prints each attempt once when it has ended, as a line or as JSON, until it is interrupted", async () => {
    const url = receiver.url("/200/tailed");
    const file = join(folder, "tailed.json");
    writeFileSync(file, JSON.stringify([{ externalId: "tailed", url, events: ["Tailed"], secret: "a-secret-1" }]));
    expect((await runCommand(["import", "endpoints", file], signedIn())).status).toBe(0);
    const [lines, json, failures] = [["tail"], ["tail", "--json"], ["tail", "--status", "failed"]].map((args) =>
      start(args, signedIn()),
    );
    if (!lines || !json || !failures) throw new Error("not started");
    try {
      // What is published before the first look of a tail is not new to it, so this publishes until both have seen one.
      await expect
        .poll(
          async () => {
            await runCommand(["publish", "Tailed"], signedIn());
            return lines.printed.out.includes("Tailed  200  attempt 1") && json.printed.out.includes('"Tailed"');
          },
          { timeout: 60_000, interval: 500 },
        )
        .toBe(true);
      const ids = json.printed.out
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as { _id: string })._id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(failures.printed.out).toBe("");
    } finally {
      for (const { child, ended } of [lines, json, failures]) {
        child.kill("SIGINT");
        await ended;
      }
    }
  });
}
