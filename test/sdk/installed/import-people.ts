/** `postern import people`, with a service that takes them. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { folder, platformKey, server, start } from "./stage.ts";

const runCommand = (...given: Parameters<typeof start>) => start(...given).ended;

/** The environment of somebody with a platform key. */
const asImporter = async () => {
  importer ??= platformKey();
  return { POSTERN_URL: server.base, POSTERN_KEY: await importer };
};
let importer: Promise<string> | undefined;

export function importingPeople(): void {
  test("import people says what it leaves out and who is refused, and fails when it is stopped", async () => {
    const env = await asImporter();
    const file = join(folder, "users.csv");
    const header = "id,primary_email_address,verified_email_addresses,password_digest,password_hasher\n";
    const people = "user_1,eve@example.com,eve@example.com,$1$abc$def,md5_crypt\nuser_2,no address,,,\n";
    writeFileSync(file, header + people);
    const command = ["import", "people", "--from", "clerk", file];
    const printed = await runCommand([...command, "--print", "--tenant", "ext:a", "--role", "viewer"]);
    expect(printed.out).toContain('"memberships":[{"tenant":"ext:a","role":"viewer"}]');
    expect(printed.err).toBe("Left out: passwords hashed with md5_crypt (1)\n");
    expect((await runCommand([...command, "--tenant", "ext:a"], { env })).status).toBe(2);
    expect((await runCommand(["import", "people", file], { env })).status).toBe(2);
    const summary = "created: 1, updated: 0, skipped: 0, refused: 1\n";
    expect(await runCommand([...command, "--dry-run"], { env })).toMatchObject({ status: 1, out: summary });
    const report = join(folder, "report.ndjson");
    expect(await runCommand([...command, "--report", report], { env })).toMatchObject({ status: 1, out: summary });
    expect(readFileSync(report, "utf8").trim().split("\n")).toHaveLength(2);
    writeFileSync(`${file}.postern-import`, "0190a0a0-1b2c-7d3e-8f40-5a6b7c8d9e0f");
    const again = await runCommand([...command, "--json"], { env });
    expect(JSON.parse(again.out)).toMatchObject({ state: "finished", skipped: 1, refused: 1 });
    expect(again.err).toContain("line 2: email: ");
    expect(existsSync(`${file}.postern-import`)).toBe(false);

    const many = join(folder, "many.ndjson");
    const rows = Array.from({ length: 20_000 }, (_, n) => JSON.stringify({ email: `many-${n}@example.com` }));
    writeFileSync(many, rows.join("\n"));
    const stoppingEnv = { ...env, POSTERN_URL: await proxied(stopAsItStarts) };
    const stopped = await runCommand(["import", "people", "--from", "postern", many], { env: stoppingEnv });
    expect(stopped.status).toBe(1);
    expect(stopped.out).toMatch(/^stopped; created: \d+, updated: 0, skipped: 0, refused: 0\n$/);
    expect(existsSync(`${many}.postern-import`)).toBe(false);
  });

  test("import people leaves nothing on the service for a file that it cannot read, dry run or not", async () => {
    const env = await asImporter();
    const headers = { authorization: `Bearer ${env.POSTERN_KEY}` };
    const importsOf = async () =>
      ((await (await fetch(`${server.base}/api/v1/platform/imports`, { headers })).json()) as { data: unknown[] }).data;
    const before = await importsOf();
    const good = Array.from({ length: 100 }, (_, n) =>
      JSON.stringify({ user_id: `auth0|${n}`, email: `${n}@e.example` }),
    );
    const file = join(folder, "export");
    for (const [from, text, status, sentence] of [
      ["auth0", `${good.join("\n")}\n{"user_id":`, 2, /^Line 101 is not a JSON object\.$/],
      ["auth0", `[${good.join()},`, 2, /^The file is not JSON\.$/],
      ["clerk", JSON.stringify({ foo: 1 }), 1, /It has: foo$/],
      ["clerk", 'primary_email_address\na@b.c\n"b@b.c\n', 2, /^Line 3 has a quote/],
      ["supabase", "id;email\n1;a@b.c\n", 1, /semicolons/],
      ["postern", Buffer.from('{"email":"a@b.c","name":"S\u00e9"}', "latin1"), 2, /not UTF-8/],
      ["cognito", "email,email_verified\n", 2, /nobody in it/],
    ] as const) {
      writeFileSync(file, text);
      for (const more of [["--dry-run"], ["--print"], []]) {
        const ended = await runCommand(["import", "people", "--from", from, file, ...more], { env });
        expect([from, ended.status, ended.out, ended.err.trim()]).toEqual([
          from,
          status,
          "",
          expect.stringMatching(sentence),
        ]);
      }
    }
    const passwordHash = Buffer.alloc(64).toString("base64");
    writeFileSync(file, JSON.stringify({ users: [{ localId: "1", email: "a@b.c", passwordHash, salt: "AAAA" }] }));
    const ended = await runCommand(["import", "people", "--from", "firebase", file], { env });
    expect([ended.status, ended.err]).toEqual([2, expect.stringContaining("--hash-settings FILE")]);
    expect(await importsOf()).toEqual(before);
  });

  test("a dry run that is interrupted while it sends leaves no import open", async () => {
    const env = await asImporter();
    const file = join(folder, "interrupted.ndjson");
    writeFileSync(file, '{"email":"a@b.c"}\n');
    let part = "";
    const POSTERN_URL = await proxied(async ({ method, url }) => {
      if (method !== "PUT") return;
      part = url;
      running.child.kill("SIGINT");
      await running.ended;
    });
    const args = ["import", "people", "--from", "postern", "--dry-run", file];
    const running = start(args, { env: { ...env, POSTERN_URL } });
    expect(await running.ended).toMatchObject({ status: 130, out: "" });
    const headers = { authorization: `Bearer ${env.POSTERN_KEY}` };
    const found = await (await fetch(part.replace(/\/parts\/1$/, ""), { headers })).json();
    expect(found).toMatchObject({ data: { dryRun: true, state: "stopped" } });
  });

  test("import people stops what a former run with other options has left open, and counts passwords left out", async () => {
    const env = await asImporter();
    const headers = { authorization: `Bearer ${env.POSTERN_KEY}`, "content-type": "application/json" };
    const imports = `${server.base}/api/v1/platform/imports`;
    const made = await (await fetch(imports, { method: "POST", headers, body: "{}" })).json();
    const { id } = (made as { data: { id: string } }).data;
    const file = join(folder, "people.csv");
    writeFileSync(`${file}.postern-import`, id);
    writeFileSync(file, `Mail,hash\nann@e.example,pbkdf2_sha256$2000001$salt$${btoa("x".repeat(32))}\n`);
    const args = ["import", "people", "--from", "csv", "--columns", "email=Mail,password=hash", file];
    const ended = await runCommand(args, { env });
    expect(ended).toMatchObject({ status: 0, out: "created: 1, updated: 0, skipped: 0, refused: 0\n" });
    expect(ended.err).toContain("Left out: passwords whose hash is out of bounds (1)\n");
    const found = (await (await fetch(`${imports}/${id}`, { headers })).json()) as { data: { state: string } };
    expect(found.data.state).toBe("stopped");
    expect(existsSync(`${file}.postern-import`)).toBe(false);
  });
}

interface Passed {
  method: string;
  url: string;
  headers: Record<string, string>;
}

/** The address of a proxy to the service. `onAnswer` runs before the one who calls hears the answer. */
async function proxied(onAnswer: (passed: Passed) => Promise<unknown>): Promise<string> {
  const proxy = createServer(async (request, response) => {
    const { url: path = "", method = "GET" } = request;
    const { authorization = "", "content-type": type = "" } = request.headers;
    const passed = {
      method,
      url: `${server.base}${path}`,
      headers: { authorization, ...(type && { "content-type": type }) },
    };
    const body = method === "GET" ? null : Buffer.concat(await request.toArray());
    const answer = await fetch(passed.url, { method, headers: passed.headers, body });
    await onAnswer(passed);
    response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  });
  await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
  onTestFinished(() => void proxy.close());
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

/** An import of 20,000 rows can take a second, so whoever looks for a running one may come too late. */
async function stopAsItStarts({ url, headers }: Passed): Promise<void> {
  if (!url.endsWith("/start")) return;
  const stopped = await fetch(url.replace(/\/start$/, ""), { method: "DELETE", headers });
  expect(await stopped.json()).toEqual({ message: "Import stopped." });
}
