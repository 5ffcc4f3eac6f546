/** Whose IP address a request counts for. */

import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import worker from "../../src";
import { parseConfig } from "../../src/base/config/config";
import { randomBytes, toBase64, toHex, utf8 } from "../../src/base/crypto/encoding";
import { createClient } from "../../src/sdk/client";
import { newAddress, newEmail, PASSWORD } from "../support/client";

const SECRET = toHex(randomBytes(32));
const PLACE: Partial<IncomingRequestCfProperties> = { city: "Zürich", country: "CH" };

async function signed(
  address: string,
  { secret = SECRET, atMs = Date.now(), path = "/auth/login", method = "POST" } = {},
): Promise<Record<string, string>> {
  const seconds = Math.floor(atMs / 1000);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", utf8(secret), algorithm, false, ["sign"]);
  const signature = toBase64(
    new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8(`${method}./api/v1${path}.${seconds}.${address}`))),
  );
  return { "x-client-ip": address, "x-client-ip-signature": `t=${seconds},v1=${signature}` };
}

async function post(path: string, headers: Record<string, string>, body: object = {}, variables: object = {}) {
  const request = new Request<unknown, IncomingRequestCfProperties>(`http://postern.test/api/v1${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "cf-connecting-ip": "2a06:98c0:3600::103", ...headers },
    body: JSON.stringify(body),
    cf: PLACE,
  } as RequestInit<IncomingRequestCfProperties>);
  return worker.fetch(request, { ...env, CLIENT_IP_SECRET: SECRET, ...variables } as Env, createExecutionContext());
}

/** How many logins the address of a request has left. */
const left = async (headers: Record<string, string>, variables = {}) =>
  Number((await post("/auth/login", headers, {}, variables)).headers.get("ratelimit-remaining"));

describe("requests that one server sends for its users", () => {
  test("count for the address that the server signs", async () => {
    const [one, other] = [newAddress(), newAddress()];
    const remaining = [await left(await signed(one)), await left(await signed(one)), await left(await signed(other))];
    expect(remaining).toEqual([999, 998, 999]);
  });

  test("count for the same address as requests that come from it directly", async () => {
    const address = newAddress();
    await left({ "cf-connecting-ip": address });
    expect(await left(await signed(address))).toBe(998);
  });

  test("count for the IPv4 address of a client that the server sees as an IPv6 one", async () => {
    const [address, other] = [newAddress(), newAddress()];
    await left({ "cf-connecting-ip": address });
    expect(await left(await signed(`::ffff:${address}`))).toBe(998);
    expect(await left(await signed(`::ffff:${other}`))).toBe(999);
  });

  test.each<[string, (address: string) => Promise<Record<string, string>>]>([
    ["without a signature", async (address) => ({ "x-client-ip": address })],
    ["signed with another secret", (address) => signed(address, { secret: "another" })],
    ["signed for another address", async (address) => ({ ...(await signed(newAddress())), "x-client-ip": address })],
    ["signed more than 60 seconds ago", (address) => signed(address, { atMs: Date.now() - 62_000 })],
    ["signed for a later time", (address) => signed(address, { atMs: Date.now() + 75_000 })],
    ["signed for another path", (address) => signed(address, { path: "/auth/register" })],
    ["signed for another method", (address) => signed(address, { method: "GET" })],
    ["that is no address", () => signed("everybody")],
    [
      "with a malformed signature",
      async (address) => ({ ...(await signed(address)), "x-client-ip-signature": "t=1,v1=x" }),
    ],
  ])("do not count for an address %s", async (_what, headersFor) => {
    const before = await left({});
    expect(await left(await headersFor(newAddress()))).toBe(before - 1);
  });

  test("do not count for a signed address where no secret is set", async () => {
    const before = await left({});
    expect(await left(await signed(newAddress()), { CLIENT_IP_SECRET: undefined })).toBe(before - 1);
  });

  const placeOfSession = async (headers: Record<string, string>) => {
    const body = { email: newEmail(), password: PASSWORD };
    const registered = (await (await post("/auth/register", headers, body)).json()) as {
      data: { accessToken: string };
    };
    const request = new Request<unknown, IncomingRequestCfProperties>("http://postern.test/api/v1/auth/sessions", {
      headers: { authorization: `Bearer ${registered.data.accessToken}` },
    });
    const sessions = (await (await worker.fetch(request, env, createExecutionContext())).json()) as { data: object[] };
    return sessions.data;
  };

  test("open sessions that show the signed address and no location of the server", async () => {
    const address = newAddress();
    expect(await placeOfSession(await signed(address, { path: "/auth/register" }))).toMatchObject([
      { ipAddress: address, location: null },
    ]);
  });

  test("open sessions that show where the request came from, if the address is not signed", async () => {
    const [address, own] = [newAddress(), newAddress()];
    const headers = { "x-client-ip": address, "cf-connecting-ip": own };
    expect(await placeOfSession(headers)).toMatchObject([{ ipAddress: own, location: "Zürich, CH" }]);
  });

  test("are signed by postern/client, which passes the browser on as well", async () => {
    const address = newAddress();
    const client = createClient({
      baseUrl: "http://postern.test",
      clientIpSecret: SECRET,
      onBehalfOf: { ip: address, userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0" },
      fetch: async (url, init) =>
        worker.fetch(
          new Request<unknown, IncomingRequestCfProperties>(url, init as RequestInit<IncomingRequestCfProperties>),
          { ...env, CLIENT_IP_SECRET: SECRET } as Env,
          createExecutionContext(),
        ),
    });
    await client.auth.register({ email: newEmail(), password: PASSWORD });
    expect(await client.sessions.list()).toMatchObject([{ ipAddress: address, browser: "Firefox 150.0" }]);
    expect(await left(await signed(address, { path: "/auth/login" }))).toBe(999);
    const person = { ip: address };
    expect(() => createClient({ baseUrl: "http://postern.test", onBehalfOf: person })).toThrow(/needs clientIpSecret/);
  });

  test("need a random secret", () => {
    const refusal = /^CLIENT_IP_SECRET must be at least 32 random characters/;
    for (const CLIENT_IP_SECRET of ["short", "a passphrase that somebody could have written down"]) {
      const { refused, clientIpSecret } = parseConfig({ ...env, CLIENT_IP_SECRET });
      expect([clientIpSecret, refusal.test(refused[0] ?? "")]).toEqual([undefined, true]);
    }
  });
});
