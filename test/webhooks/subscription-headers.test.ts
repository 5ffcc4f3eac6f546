/** `delivery.headers` and `delivery.format`: what a delivery carries besides, and how its body looks. */
import { describe, expect, test } from "vitest";
import { withoutValues } from "../../src/webhooks/options/header-options";
import { call } from "../support/client";
import { holding } from "../support/console";
import { type Hook, newHook, patchHook, readHook } from "../support/hook";
import { captureLog } from "../support/log-lines";
import { endedAttempts } from "../support/receiver";
import { deliveryDb } from "../support/shard";
import { sendOne } from "../support/signed";

const captured = captureLog();
const TOKEN = "Bearer recognisable-credential-4711";

let made: Promise<Hook> | undefined;
/** A subscription for requests that are refused, made once. */
function unchanged(): Promise<Hook> {
  made ??= newHook();
  return made;
}

const withHeaders = (headers: unknown, behaviour?: string) => newHook({ delivery: { headers } }, behaviour);
const setHeaders = (hook: Hook, headers: unknown) => patchHook(hook, { delivery: { headers } });

describe("headers", () => {
  test("are sent with each delivery, and read back by name only", async () => {
    const hook = await withHeaders({ Authorization: TOKEN, "X-Team": "blue" });
    expect((await sendOne(hook)).headers).toMatchObject({ authorization: TOKEN, "x-team": "blue" });
    const { delivery } = await readHook(hook);
    expect(delivery).toEqual({ headers: { Authorization: { set: true, last4: "4711" }, "X-Team": { set: true } } });
    const listed = await call("GET", "/webhooks", { token: hook.person.token });
    expect(listed.body.data[0].delivery).toEqual(delivery);
  });

  test("tell the last four characters of a value from its 12th character on", async () => {
    const hook = await withHeaders({ "X-11": "abcdefghijk", "X-12": "abcdefghijkl" });
    expect((await readHook(hook)).delivery.headers).toEqual({
      "X-11": { set: true },
      "X-12": { set: true, last4: "ijkl" },
    });
  });

  test("merge by name in any letter case; null removes one, or all", async () => {
    const hook = await withHeaders({ "X-A": "one", "X-B": "two" });
    const changed = await setHeaders(hook, { "x-a": "three", "X-B": null, "X-C": "four" });
    expect([changed.body.data.version, Object.keys(changed.body.data.delivery.headers)]).toEqual([1, ["x-a", "X-C"]]);
    const { headers } = await sendOne(hook);
    expect([headers["x-a"], headers["x-b"], headers["x-c"]]).toEqual(["three", undefined, "four"]);
    expect((await setHeaders(hook, { "x-a": "three" })).body.data.version).toBe(1);
    expect((await setHeaders(hook, null)).body.data).not.toHaveProperty("delivery");
    expect((await sendOne(hook)).headers).not.toHaveProperty("x-a");
    await setHeaders(hook, { "X-A": "one" });
    expect((await patchHook(hook, { delivery: null })).body.data).not.toHaveProperty("delivery");
  });

  test("are encrypted in the database, and gone with the subscription", async () => {
    const hook = await withHeaders({ Authorization: TOKEN });
    const stored = () =>
      deliveryDb
        .prepare("SELECT headers_sealed AS sealed FROM subscriptions WHERE id = ?")
        .bind(hook.id)
        .first("sealed");
    expect(await stored()).toMatch(/^\w+\.\S+\.\S+$/);
    await call("DELETE", `/webhooks/${hook.id}`, { token: hook.person.token });
    expect(await stored()).toBeNull();
  });

  test.each(
    (
      "content-type content-length content-x accept-encoding user-agent host connection keep-alive " +
      "proxy-authorization te trailer trailers " +
      "transfer-encoding upgrade expect date via forwarded cookie set-cookie origin referer range if-match " +
      "if-none-match cache-control " +
      "pragma expires age warning clear-site-data traceparent tracestate webhook-id webhook-signature " +
      "x-webhook-event x-correlation-id " +
      "x-postern-x cf-connecting-ip x-forwarded-for x-real-ip x-amz-date x-amzn-trace-id x-goog-x x-google x-gfe-x " +
      "x-azure-ref " +
      "x-fd-healthprobe sec-fetch-mode"
    ).split(" "),
  )("%s is refused in any letter case, and named", async (name) => {
    const { person } = await unchanged();
    for (const spelling of [name, name.toUpperCase()]) {
      const body = { name: "n", url: "https://example.com/", events: ["A"], secret: "s" };
      const delivery = { headers: { [spelling]: "x" } };
      const refused = await call("POST", "/webhooks", { token: person.token, body: { ...body, delivery } });
      expect([refused.status, refused.body.details]).toEqual([
        400,
        [{ path: `delivery.headers.${spelling}`, message: `The header ${spelling} must not be set` }],
      ]);
    }
  });

  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-${n}`, "v"]));
  test("may have the names of members that every object has, except __proto__", async () => {
    const hook = await newHook();
    const names = ["constructor", "toString", "hasOwnProperty"];
    const set = await setHeaders(hook, Object.fromEntries(names.map((name) => [name, `the value of ${name}`])));
    expect([set.status, Object.keys(set.body.data.delivery.headers)]).toEqual([200, names]);
    const request = await sendOne(hook);
    for (const name of names) expect(new Headers(request.headers).get(name)).toBe(`the value of ${name}`);
    const removed = await setHeaders(hook, { constructor: null });
    expect(Object.keys(removed.body.data.delivery.headers)).toEqual(["toString", "hasOwnProperty"]);
    const refused = await call("PATCH", `/webhooks/${hook.id}`, {
      token: hook.person.token,
      raw: '{"delivery":{"headers":{"__proto__":"x","X-A":"y"}}}',
      headers: { "content-type": "application/json" },
    });
    expect([refused.status, refused.body.details]).toEqual([
      400,
      [{ path: "delivery.headers.__proto__", message: "The header __proto__ must not be set" }],
    ]);
  });

  test.each<[string, object]>([
    ["an empty name", { "": "x" }],
    ["a name with a space", { "X A": "x" }],
    ["a name with a colon", { "X:": "x" }],
    ["a name with a line break", { "X\r\nY": "x" }],
    ["a name of 65 characters", { ["x".repeat(65)]: "x" }],
    ["two spellings of a name", { "X-A": "1", "x-a": "2" }],
    ["an empty value", { "X-A": "" }],
    ["CR LF in a value", { "X-A": "a\r\nX-B: b" }],
    ["a NUL in a value", { "X-A": "a\0b" }],
    ["a tab in a value", { "X-A": "a\tb" }],
    ["UTF-8 in a value", { "X-A": "é" }],
    ["a space before a value", { "X-A": " a" }],
    ["a space after a value", { "X-A": "a " }],
    ["a value of 1,025 characters", { "X-A": "v".repeat(1025) }],
    ["a number", { "X-A": 1 }],
    ["21 headers", many(21)],
  ])("%s is refused with 400, without its value", async (_what, headers) => {
    const hook = await unchanged();
    const refused = await setHeaders(hook, headers);
    expect([refused.status, refused.body.code]).toEqual([400, "VALIDATION_FAILED"]);
    expect(refused.body.details[0].path).toMatch(/^delivery\.headers/);
    expect((await readHook(hook)).version).toBe(0);
  });

  test("may be 20, with names of 64 and values of 1,024 characters, and 4 KiB together with those that stay", async () => {
    const hook = await newHook();
    expect((await setHeaders(hook, many(20))).status).toBe(200);
    expect((await setHeaders(hook, { another: "x" })).body.details).toEqual([
      { path: "delivery.headers", message: "At most 20 headers" },
    ]);
    await setHeaders(hook, null);
    const large = { ["x".repeat(64)]: "v".repeat(1024), b: "v".repeat(1024), c: "v".repeat(1024), d: "v".repeat(957) };
    const full = await setHeaders(hook, large);
    expect(full.status).toBe(200);
    const over = await setHeaders(hook, { d: "v".repeat(958) });
    expect([over.status, over.body.details[0].message]).toEqual([
      400,
      "Names and values must have at most 4096 bytes together",
    ]);
    expect((await sendOne(hook)).headers["x".repeat(64)]).toHaveLength(1024);
  });

  test("do not follow the URL to another origin: each must be given again, or set to null", async () => {
    const hook = await withHeaders({ Authorization: TOKEN, "X-Team": "blue" });
    const url = "https://elsewhere.example/hook";
    const refused = await patchHook(hook, { url });
    expect([refused.status, refused.body.details]).toEqual([
      400,
      ["Authorization", "X-Team"].map((name) => ({
        path: `delivery.headers.${name}`,
        message: "The URL has another origin: send the header again, or null",
      })),
    ]);
    const partly = await patchHook(hook, { url, delivery: { headers: { authorization: "another" } } });
    expect([partly.status, partly.body.details.length]).toEqual([400, 1]);
    expect(await readHook(hook)).toMatchObject({ url: hook.inbox.url, version: 0 });
    const samePlace = await patchHook(hook, { url: `${hook.inbox.url}?x=1` });
    expect([samePlace.status, samePlace.body.data.version]).toEqual([200, 1]);
    const moved = await patchHook(hook, { url, delivery: { headers: { authorization: "another", "x-team": null } } });
    expect([moved.status, moved.body.data.delivery]).toEqual([200, { headers: { authorization: { set: true } } }]);
    expect((await patchHook(hook, { url: "http://elsewhere.example/hook", delivery: null })).status).toBe(200);
  });

  test("of parallel changes are all there, or the change answered 409", async () => {
    const hook = await newHook();
    const names = Array.from({ length: 10 }, (_, n) => `X-${n}`);
    const answers = await Promise.all(names.map((name) => setHeaders(hook, { [name]: "v" })));
    const kept = names.filter((_, index) => answers[index]?.status === 200);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(Object.keys((await readHook(hook)).delivery.headers).sort()).toEqual(kept.sort());
  });

  test("cannot arrive at another origin by a URL that changes at the same time", async () => {
    for (let round = 0; round < 5; round += 1) {
      const hook = await newHook();
      const [moved] = await Promise.all([
        patchHook(hook, { url: "https://elsewhere.example/hook" }),
        setHeaders(hook, { Authorization: TOKEN }),
      ]);
      // Either the URL came first, and the headers were meant for it; or the headers did, and it was refused.
      if (moved.status === 200) expect(moved.body.data).not.toHaveProperty("delivery");
      else expect([400, 409]).toContain(moved.status);
    }
  });

  test("never show their values again: not in an answer, an error, a page of the console or a log line", async () => {
    const hook = await withHeaders({ Authorization: TOKEN }, "echo");
    const { person, id } = hook;
    await sendOne(hook);
    const [attempt] = await endedAttempts(person, id, 1);
    const tooMany = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`X-${n}`, TOKEN]));
    const changes = [
      { url: "https://elsewhere.example/" },
      { name: "" },
      ...[{ Host: TOKEN }, { "X-A": `${TOKEN}\n` }, tooMany, { "X-B": TOKEN }].map((headers) => ({
        delivery: { headers },
      })),
    ];
    const answers = await Promise.all([
      ...changes.map((body) => patchHook(hook, body)),
      ...["", `/${id}`, `/${id}/logs`, `/${id}/attempts/${attempt._id}`, `/${id}/metrics`, `/${id}/stats`].map((path) =>
        call("GET", `/webhooks${path}`, { token: person.token }),
      ),
    ]);
    const browser = await holding(person);
    const { name, url } = await readHook(hook);
    // The form keeps what was typed, and nothing else has it.
    const typed = "Bearer typed-credential-4712";
    const refused = { name, url, events: "*", secret: "", headers: `X-A: ${typed}\nHost: ${typed}` };
    const here = `/webhooks/${id}`;
    const pages = [await browser.post(here, refused)];
    for (const path of ["", "/webhooks", here, `${here}/log`, `${here}/edit`, `${here}/security`]) {
      pages.push(await browser.get(path));
    }
    pages.push(await browser.get(`${here}/attempts/${attempt._id}`));
    expect(answers.map(({ status }) => status)).toEqual([...Array(5).fill(400), ...Array(7).fill(200)]);
    expect(pages.map(({ status }) => status)).toEqual([400, ...Array(7).fill(200)]);
    const bodies = answers.map(({ body }) => JSON.stringify(body));
    for (const text of [...bodies, ...pages.map(({ html }) => html), ...captured.text]) {
      expect(text).not.toContain("recognisable-credential");
    }
    expect(captured.text.join("\n")).not.toContain("typed-credential");
    expect(answers.at(-3)?.body.data.headers).not.toHaveProperty("Authorization");
  });

  test.each([
    ["the value", (value: string) => value],
    ["one word of it", () => "token tok/en+4711== is unknown"],
    ["the value as JSON", (value: string) => JSON.stringify({ value })],
    ["the value as JSON with escaped slashes", (value: string) => JSON.stringify({ value }).replaceAll("/", "\\/")],
  ])("are hidden in an answer that repeats %s", (_what, answer) => {
    const value = 'Key tok/en+4711== "quoted\\text"';
    const shown = withoutValues(answer(value), { "X-Key": value, "X-Short": "token" });
    expect(shown).toContain("[header value]");
    expect(shown).not.toContain("4711");
  });
});
