/**
 * A new entry in front of SECRET_KEYS, and later without the old one: what tenants' own sign-on seals works while the
 * entry that has sealed it is listed, the hourly job moves what is stored, and the rest opens nothing afterwards.
 */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { noteFirstKey } from "../../src/base/db/first-keys-store";
import { createDeps } from "../../src/base/deps";
import { call, type Person, signUpVerified } from "../support/client";
import { hourly } from "../support/engine";
import { type Browser, claimsOf, newBrowser } from "../support/oauth";
import { bring, newDirectory, scim } from "../support/scim";
import { arrive, connect, type Departure, leave, open, testConnection, testerOf } from "../support/sign-on";

const NEW_KEY = "1f0c7d6f0d1e4b52a8f3c9e76d5b4a39281706f5e4d3c2b1a09f8e7d6c5b4a39";
const OLD = {};
const ROTATED = { SECRET_KEYS: `${NEW_KEY},${env.SECRET_KEYS}` };
const NEW = { SECRET_KEYS: NEW_KEY };

let owner: Person;
let id: string;
beforeAll(async () => {
  owner = await signUpVerified();
  ({ id } = await connect(owner));
  await open(owner, id);
  // The minute's job: an entry opens what lives for minutes for 15 minutes after it was the first.
  await noteFirstKey(await createDeps(env, createExecutionContext()));
});

/** The same browser at a service with other keys. */
function at(keys: typeof OLD, { jar }: Browser): Browser {
  const browser = newBrowser(keys);
  for (const [name, value] of jar) browser.jar.set(name, value);
  return browser;
}

async function departed(keys: typeof OLD, connection = id) {
  const browser = newBrowser(keys);
  return { browser, departure: await leave(browser, `?connection=${connection}`) };
}

/** Comes back. Returns the browser, and what the page is told. */
async function back(keys: typeof OLD, { browser, departure }: { browser: Browser; departure: Departure }) {
  const there = at(keys, browser);
  const page = await arrive(there, id, departure, { claims: claimsOf(departure, await testerOf(owner)) });
  return { browser: there, error: page.searchParams.get("error"), code: page.searchParams.get("code") };
}

const exchanged = async (keys: typeof OLD, { browser, code }: Awaited<ReturnType<typeof back>>) => {
  const there = at(keys, browser);
  const answer = await there.send("POST", "/api/v1/auth/oauth/exchange", { body: { code } });
  for (const [name, value] of there.jar) browser.jar.set(name, value);
  return answer.status === 200 ? "in" : answer.body.code;
};

describe("what browsers keep", () => {
  test("the flow goes on while its entry is listed, and is too late without it", async () => {
    const flow = await departed(OLD);
    expect(await back(NEW, flow)).toMatchObject({ error: "expired", code: null });
    expect(await exchanged(ROTATED, await back(ROTATED, flow))).toBe("in");
  });

  test("so does the result", async () => {
    const result = await back(OLD, await departed(OLD));
    expect(await exchanged(NEW, result)).toBe("INVALID_TOKEN");
    expect(await exchanged(ROTATED, result)).toBe("in");
  });

  test("so does the address of a test, which starts nothing without its entry", async () => {
    const { url } = (await call("POST", `/tenant/connections/${id}/test`, { token: owner.token, body: {} })).body.data;
    const started = async (keys: typeof OLD) => {
      const { search } = new URL(url);
      const { location } = await newBrowser(keys).send("GET", `/api/v1/auth/sign-on${search}`);
      return new URL(location ?? "").searchParams.get("error") ?? "at the provider";
    };
    expect(await started(NEW)).toBe("sign_on_unavailable");
    expect(await started(ROTATED)).toBe("at the provider");
  });

  test("the connection of a browser is remembered as long as its entry is listed, and asked for again without it", async () => {
    const result = await back(OLD, await departed(OLD));
    const email = `ada@${(await testerOf(owner)).email.split("@")[1]}`;
    expect(await exchanged(OLD, result)).toBe("in");
    await env.DB.prepare("UPDATE first_keys SET last_first_at = 1").run();
    const asked = async (keys: typeof OLD) => {
      const { body } = await at(keys, result.browser).send("POST", "/api/v1/auth/sign-on/discover", {
        body: { email },
      });
      return body.data.signOn;
    };
    expect(await asked(ROTATED)).toContain(id);
    expect(await asked(NEW)).toBeNull();
    await noteFirstKey(await createDeps(env, createExecutionContext()));
  });
});

describe("what is stored", () => {
  const traceUnder = (keys: typeof OLD, token: string, traceId: string) =>
    newBrowser(keys).send("GET", `/api/v1/tenant/connections/${id}/traces/${traceId}`, { token });

  test("a client secret and the claims of a test open nothing without their entry, until the job has moved them", async () => {
    const { trace } = await testConnection(owner, id, { ...(await testerOf(owner)), badge: "kept" });
    const { body } = await newBrowser(ROTATED).send("POST", "/api/v1/auth/refresh", {
      body: { refreshToken: owner.refreshToken },
    });
    const token = body.data.accessToken;
    expect((await back(NEW, await departed(NEW))).error).toBe("sign_on_refused");
    const closed = await traceUnder(NEW, token, trace.id);
    expect([closed.status, JSON.stringify(closed.body)]).toEqual([200, expect.not.stringContaining("kept")]);
    expect((await traceUnder(ROTATED, token, trace.id)).body.data.claims).toMatchObject({ badge: "kept" });

    await hourly(ROTATED);
    expect(await exchanged(NEW, await back(NEW, await departed(NEW)))).toBe("in");
    expect((await traceUnder(NEW, token, trace.id)).body.data.claims).toMatchObject({ badge: "kept" });
    expect((await back(OLD, await departed(OLD))).error).toBe("sign_on_refused");
  });

  test("each entry has a key of its own for a connection that proves itself with one, newest first", async () => {
    const mine = await signUpVerified();
    const fields = { clientAuth: "private_key_jwt", clientSecret: null };
    const { jwksUri } = await connect(mine, { oidc: fields });
    const kidsOf = async (keys: typeof OLD): Promise<string[]> => {
      const { body } = await newBrowser(keys).send("GET", new URL(jwksUri).pathname);
      return body.keys.map(({ kid }: { kid: string }) => kid);
    };
    const [old, rotated, fresh] = [await kidsOf(OLD), await kidsOf(ROTATED), await kidsOf(NEW)];
    expect([old.length, fresh.length, rotated]).toEqual([1, 1, [...fresh, ...old]]);
  });

  test("tokens of directories are bound to no entry", async () => {
    const directory = await newDirectory();
    const { id: person } = await bring(directory);
    const read = await scim(directory, "GET", `/Users/${person}`, { variables: NEW });
    expect(read.status).toBe(200);
  });
});
