/** Providers that change the keys of their ID tokens while people sign on. */
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { call, type Person, signUpVerified } from "../support/client";
import { claimsOf, newBrowser, newPersonAtProvider, type Script } from "../support/oauth";
import { arrive, connect, leave, open } from "../support/sign-on";

const OLD = { header: { kid: "key-1" }, signedBy: "own" } as const;
const NEW = { header: { kid: "key-2" }, signedBy: "foreign" } as const;
/** How long a key that is unknown is not looked for again, and how long keys count as fresh. */
const [AGAIN_MS, FRESH_MS] = [10_000, 600_000];

let owner: Person;
beforeAll(async () => {
  owner = await signUpVerified();
});

afterEach(() => {
  vi.useRealTimers();
});

const later = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });

/** A connection to a provider that has shown its first key, and shows others from now on. */
async function connection(kind: "retiring" | "failing"): Promise<string> {
  const { id } = await connect(owner, { oidc: { issuer: `https://${kind}.issuer.example` } });
  await open(owner, id);
  return id;
}

/** Leaves for the provider. Returns what comes back with a token: "in", or the reason of the refusal. */
async function depart(id: string) {
  const browser = newBrowser();
  const departure = await leave(browser, `?connection=${id}`);
  return async (script: Omit<Script, "claims">): Promise<string> => {
    const claims = claimsOf(departure, newPersonAtProvider());
    const back = await arrive(browser, id, departure, { ...script, claims });
    if (back.searchParams.has("code")) return "in";
    const trace = `/tenant/connections/${id}/traces/${back.searchParams.get("trace")}`;
    return (await call("GET", trace, { token: owner.token })).body.data.reason;
  };
}

test("a key that is new since the departure is found, and one that is gone since signs nobody on", async () => {
  const id = await connection("retiring");
  const [early, other] = [await depart(id), await depart(id)];
  // What is known is fresh: nobody looks again.
  expect(await (await depart(id))(OLD)).toBe("in");
  later(AGAIN_MS + 1_000);
  expect(await early(NEW)).toBe("in");
  expect(await other(OLD)).toBe("unknown_key");
  expect(await (await depart(id))(NEW)).toBe("in");
});

test("keys that were read once stay while they cannot be had again, and no other key counts", async () => {
  const id = await connection("failing");
  expect(await (await depart(id))(NEW)).toBe("unknown_key");
  later(FRESH_MS + 1_000);
  const back = await depart(id);
  expect(await back(OLD)).toBe("in");
  expect(await (await depart(id))(NEW)).toBe("unknown_key");
  expect(await (await depart(id))({ ...OLD, signedBy: "foreign" })).toBe("bad_signature");
});
