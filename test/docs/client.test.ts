/** The examples of the pages about postern/client: each is shown as it is, and works. */
import { env, exports } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { ERROR_CODES } from "../../src/base/errors";
import { asProgram, replaceKey } from "../../src/docs/pages/client/api-keys";
import { changesSince } from "../../src/docs/pages/client/audit";
import { signIn, signInByMail } from "../../src/docs/pages/client/auth";
import { toText } from "../../src/docs/pages/client/errors";
import { declareOrders, extend, importTypes } from "../../src/docs/pages/client/event-types";
import { publishOrders, whyNotArrived } from "../../src/docs/pages/client/events";
import { feedOfOrders, follow } from "../../src/docs/pages/client/feeds";
import { addGoogle, finishSignIn, googleUrl } from "../../src/docs/pages/client/identities";
import { invite, join, joinWithGoogleUrl, registerInvited } from "../../src/docs/pages/client/invitations";
import { listenTo } from "../../src/docs/pages/client/listen";
import { countEvents, newestEvents } from "../../src/docs/pages/client/lists";
import { changeRole } from "../../src/docs/pages/client/members";
import { freezeWhile } from "../../src/docs/pages/client/operator";
import { addPasskey, signInWithPasskey } from "../../src/docs/pages/client/passkeys";
import { addCustomer } from "../../src/docs/pages/client/platform";
import { namesOfWebhooks, tokenFor } from "../../src/docs/pages/client/portal";
import { endOtherSessions } from "../../src/docs/pages/client/sessions";
import { receiveFromStripe, rotate as rotateSource } from "../../src/docs/pages/client/sources";
import { forPage, forProgram } from "../../src/docs/pages/client/start";
import { health } from "../../src/docs/pages/client/stats";
import { switchTo } from "../../src/docs/pages/client/tenants";
import { turnOn } from "../../src/docs/pages/client/two-factor";
import { failuresSince, moveTo, rotate, subscribe } from "../../src/docs/pages/client/webhooks";
import { PosternError, type PosternErrorCode } from "../../src/sdk/client";
import { call, eventually, logIn, newEmail, PASSWORD, signUp, signUpVerified } from "../support/client";
import { giveUp } from "../support/engine";
import { codeIn, mailTo, tokenIn } from "../support/mailbox";
import { operator } from "../support/operators";
import { endedAttempts, newInbox } from "../support/receiver";
import { clientOf, serviceFetch } from "../support/sdk";
import { softAuthenticators } from "../support/soft-authenticators";
import { codeOf } from "../support/two-factor";

const pages = import.meta.glob("/src/docs/pages/{client,client/*}.md", {
  query: "?raw",
  import: "default",
  eager: true,
});
const examples = import.meta.glob("/src/docs/pages/client/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});
afterEach(() => void vi.useRealTimers());

const PERIOD_START = new Date(Date.now() - 60_000).toISOString();

const { inTenant: _, ...client } = clientOf().client;
const nouns = Object.entries(client).map(([member, methods]) => ({
  member,
  // The platform has nouns of its own, all on one page.
  methods: Object.values(methods)
    .flatMap((noun: object) => Object.keys(noun))
    .concat(Object.entries(methods).flatMap(([name, method]) => (typeof method === "function" ? [name] : []))),
  file: member.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
}));

test("every example is on its page unchanged", () => {
  for (const [path, example] of Object.entries(examples)) {
    const page = pages[path.replace(".ts", ".md")] ?? pages["/src/docs/pages/client.md"];
    expect(page).toContain(`\`\`\`ts\n${example}\`\`\`\n`);
  }
});

test.each(nouns)("the page of $member has an example and all of its methods", async ({ member, methods, file }) => {
  expect(pages[`/src/docs/pages/client/${file}.md`]).toMatch(new RegExp(`^# Client: .+\\n\\n\`client\\.${member}\` `));
  expect(Object.keys(examples)).toContain(`/src/docs/pages/client/${file}.ts`);
  expect(pages["/src/docs/pages/client.md"]).toContain(`](client/${file}.md)`);
  const page = await (await serviceFetch(`http://postern.test/docs/client/${file}`, {})).text();
  const rows = [...page.matchAll(/<tr>\n<td><code>(\w+)\(/g)].map(([, method]) => method);
  expect(rows.sort()).toEqual(methods.sort());
});

test("every page of a noun belongs to a member of the client", () => {
  expect(Object.keys(pages)).toHaveLength(nouns.length + 1);
});

test("the link of each error leads to its code on the page of errors", async () => {
  const ofClient: PosternErrorCode[] = ["NETWORK_ERROR", "TIMEOUT", "BAD_RESPONSE"];
  const page = await (await serviceFetch("http://postern.test/docs/errors", {})).text();
  for (const code of [...ERROR_CODES, ...ofClient]) {
    const { docsUrl } = new PosternError({ code, message: "", status: 0, baseUrl: "https://postern.example.com" });
    expect(docsUrl).toMatch(/^https:\/\/postern\.example\.com\/docs\/errors#[A-Z_]+$/);
    expect(page).toContain(`id="${docsUrl.split("#")[1]}"`);
  }
});

test("the platform", async () => {
  const { token } = await operator();
  const body = { name: "shop", scopes: ["tenants.*", "users.*", "members.*", "events.publish"] };
  const { key } = (await call("POST", "/platform/keys", { token, body })).body.data;
  const customer = { id: crypto.randomUUID(), email: newEmail() };
  vi.stubGlobal("fetch", serviceFetch);
  try {
    const first = await addCustomer("http://postern.test", key, customer);
    expect(first).toMatchObject({ type: "CustomerAdded" });
    expect(await addCustomer("http://postern.test", key, customer)).toEqual(first);
  } finally {
    vi.unstubAllGlobals();
  }
});

test("creating a client, errors", async () => {
  expect(Object.keys(forPage({ getItem: () => null, setItem: () => {}, removeItem: () => {} }))).toContain("auth");
  const refused = (work: Promise<unknown>) => work.then(() => "", toText);
  vi.stubGlobal("fetch", serviceFetch);
  const answer = await refused(forProgram("ak_nobody").webhooks.list()).finally(() => vi.unstubAllGlobals());
  expect(answer).toBe("Please sign in.");
  const { client } = clientOf(await signUp());
  expect(await refused(client.auth.forgotPassword("no address"))).toMatch(/^email: /);
  expect(await refused(client.webhooks.get("none"))).toMatch(
    /^Webhook not found \([0-9a-f-]{36}, see http:\/\/postern\.test\/docs\/errors#NOT_FOUND\)$/,
  );
});

test("sign-in", async () => {
  const person = await signUpVerified();
  const { authenticators } = softAuthenticators();
  const { client } = clientOf(person, { authenticators });
  const visitor = () => clientOf(undefined, { authenticators }).client;
  expect((await addPasskey(client, async () => PASSWORD)).name).toBe("My laptop");
  const byPasskey = visitor();
  await signInWithPasskey(byPasskey);
  expect(await endOtherSessions(byPasskey)).toHaveLength(1);
  await signInByMail(visitor(), person.email, async () => codeIn(await mailTo(person.email, /code/i)));

  expect(new URL(googleUrl(client)).pathname).toBe("/api/v1/auth/oauth/google");
  expect(await addGoogle(byPasskey)).toMatch(/^https:\/\/accounts\.google\.com\//);
  await expect(finishSignIn(visitor(), "?code=used")).rejects.toMatchObject({ code: "INVALID_TOKEN" });

  // Three codes in a row: no step may end between them.
  vi.useFakeTimers({ toFake: ["Date"] });
  let secret = "";
  const show = (uri: string) => {
    secret = new URL(uri).searchParams.get("secret") ?? "";
  };
  const ahead = [-1, 0];
  expect(await turnOn(byPasskey, show, async () => codeOf(secret, ahead.shift()))).toHaveLength(10);
  const me = await signIn(visitor(), person.email, PASSWORD, async () => codeOf(secret, 1));
  expect(me.email).toBe(person.email);
});

test("tenants, members, invitations, API keys, audit log", async () => {
  const owner = clientOf(await signUpVerified()).client;
  const guest = { ...(await signUpVerified()), email: newEmail() };
  const { client } = clientOf(guest);
  const { email } = await client.auth.me();
  await invite(owner, email);
  expect(await join(client, tokenIn(await mailTo(email, /invit/i)))).toBe((await owner.auth.me()).tenant.name);
  expect((await client.auth.me()).role).toBe("developer");
  const newcomer = newEmail();
  await invite(owner, newcomer);
  const token = tokenIn(await mailTo(newcomer, /invit/i));
  const visitor = clientOf().client;
  expect(new URL(joinWithGoogleUrl(visitor, token)).searchParams.get("invitationToken")).toBe(token);
  await registerInvited(visitor, newcomer, PASSWORD, token);
  expect((await visitor.auth.me()).tenant).toEqual((await owner.auth.me()).tenant);
  await changeRole(owner, email, "viewer");
  expect((await client.auth.me()).role).toBe("viewer");
  expect(await switchTo(client, "no such tenant")).toBe(false);

  const first = await replaceKey(owner, "shop");
  const second = await replaceKey(owner, "shop");
  expect((await owner.apiKeys.list()).map(({ name }) => name)).toEqual(["shop"]);
  vi.stubGlobal("fetch", serviceFetch);
  const event = { type: "OrderPaid", payload: 1 };
  const ofFirst = asProgram("http://postern.test", first).events.publish(event);
  const ofSecond = asProgram("http://postern.test", second).events.publish(event);
  await Promise.allSettled([ofFirst, ofSecond]).finally(() => vi.unstubAllGlobals());
  await expect(ofFirst).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  expect((await ofSecond).deliveries).toBe(0);
  const changes = await changesSince(owner, PERIOD_START);
  expect(changes.map((line) => line.split(" ")[2])).toEqual([
    "member.invited",
    "member.joined",
    "member.invited",
    "member.joined",
    "member.role_changed",
  ]);
});

test("events, subscriptions, statistics", async () => {
  const person = await signUp();
  const { client } = clientOf(person);
  const { id, secret } = await subscribe(client, newInbox("500").url);
  const [paid = ""] = await publishOrders(client, [{ id: 1 }, { id: 2 }]);
  expect(await publishOrders(client, [{ id: 1 }, { id: 2 }])).toContain(paid);
  await endedAttempts(person, id, 2);
  expect(await whyNotArrived(client, paid)).toEqual(["billing: waiting, status 500"]);
  expect(await failuresSince(client, id, PERIOD_START)).toEqual(new Map([["status 500", 2]]));
  expect(await health(client, 1)).toEqual({ failedShare: 1, lookAt: ["billing"] });
  expect([await countEvents(client, "OrderPaid"), (await newestEvents(client)).rows.length]).toEqual([2, 2]);
  const inbox = newInbox("200");
  await giveUp(id);
  expect(await moveTo(client, id, inbox.url)).toBe(2);
  await inbox.arrived(2);
  expect(await rotate(client, id)).not.toBe(secret);
});

test("portals: a token for pages of one's own", async () => {
  const person = await signUpVerified();
  const { client } = clientOf(person);
  await client.webhooks.create({ name: "Orders", url: newInbox("200").url, events: ["*"], secret: "a-signing-secret" });
  const token = await tokenFor(client);
  vi.stubGlobal("fetch", serviceFetch);
  expect(await namesOfWebhooks("http://postern.test", token)).toEqual(["Orders"]);
  vi.unstubAllGlobals();
});

test("operators", async () => {
  const { client } = clientOf(await operator());
  const owner = await logIn(await signUp());
  const tenant = `Tenant ${crypto.randomUUID()}`;
  await env.DB.prepare("UPDATE tenants SET name = ? WHERE id = ?").bind(tenant, owner.tenantId).run();
  const holds = async () => (await client.operator.tenant(owner.tenantId)).holds.length;
  const { promise: mended, resolve } = Promise.withResolvers<void>();
  const held = freezeWhile(client, tenant, mended, PASSWORD);
  await eventually("the hold", async () => (await holds()) === 1);
  resolve();
  await held;
  expect(await holds()).toBe(0);
});

test("sources: a URL for Stripe, whose secret is replaced", async () => {
  const { client } = clientOf(await signUpVerified());
  expect(await receiveFromStripe(client, "whsec_before")).toMatch(/\/in\/src_/);
  const [made] = await client.sources.list();
  if (!made) throw new Error("no source was made");
  await rotateSource(client, made.id, "whsec_after");
  const { secrets } = await client.sources.get(made.id);
  expect(secrets).toHaveLength(1);
  expect(secrets[0]?.id).not.toBe(made.secrets[0]?.id);
});

test("feeds: every event is handled from the beginning on, and again only what was not acknowledged", async () => {
  const { client } = clientOf(await signUpVerified());
  const { id } = await feedOfOrders(client);
  const events = [1, 2, 3].map((payload) => ({ type: "order.paid", payload }));
  await client.events.publishBatch(events);
  const reads = async (count: number) => {
    const [seen, end]: [unknown[], AbortController] = [[], new AbortController()];
    const reading = follow(
      client,
      id,
      async (_type, payload) => {
        seen.push(payload);
        if (seen.length === count) end.abort(new Error("enough"));
      },
      end.signal,
    );
    await expect(reading).rejects.toThrow("enough");
    return seen;
  };
  expect(await reads(3)).toEqual([1, 2, 3]);
  await client.events.publish({ type: "order.paid", payload: 4 });
  expect(await reads(4)).toEqual([1, 2, 3, 4]);
});

test("listeners: each delivery is handled, and its status is in the log", async () => {
  const person = await signUpVerified();
  const { client } = clientOf(person);
  const bodies: string[] = [];
  const open = async (path: string, protocols: string[]) => {
    const headers = { upgrade: "websocket", "sec-websocket-protocol": protocols.join(", ") };
    const { webSocket } = await exports.default.fetch(`http://postern.test${path}`, { headers });
    if (!webSocket) throw new Error("no socket");
    webSocket.accept();
    return webSocket;
  };
  const socket = await listenTo(client, open, async (_headers, body) => {
    bodies.push(body);
    return 202;
  });
  await client.events.publish({ type: "OrderPaid", payload: 42 });
  const [listener] = await client.listen.list();
  const [attempt] = await endedAttempts(person, listener?._id ?? "", 1);
  expect([bodies, attempt.responseCode]).toEqual([["42"], 202]);
  socket.close();
});

test("event types: a schema that refuses, and what its next version breaks", async () => {
  const { client } = clientOf(await signUpVerified());
  await declareOrders(client);
  const refused = client.events.publish({ type: "order.paid", payload: { total: "42" } });
  await expect(refused).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
  expect(await extend(client, { type: "object", required: ["total", "currency"] })).toEqual(["currency", "total"]);
});

test("event types: taking over those of an OpenAPI document", async () => {
  const { client } = clientOf(await signUpVerified());
  const webhooks = { "order.paid": { post: { description: "An order was paid." } } };
  const document = { openapi: "3.1.0", info: { title: "Shop", version: "1" }, webhooks };
  expect(await importTypes(client, document)).toEqual(["order.paid"]);
  expect(await importTypes(client, document)).toEqual([]);
  expect(JSON.parse(await client.eventTypes.export({ format: "openapi" }))).toMatchObject({ webhooks });
});
