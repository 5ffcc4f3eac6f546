/** A person with a tenant, through the API. */
import type { Answer, Call, Client } from "./load.ts";

export interface Tokens {
  accessToken: string;
  refreshToken: string;
}

export interface Credentials {
  email: string;
  password: string;
}

let people = 0;

/** Credentials that this run has not used yet. */
export function newPerson(): Credentials {
  people += 1;
  return { email: `person${people}@example.com`, password: `bench pass phrase ${people}` };
}

export const dataOf = <T>({ text }: Answer): T => (JSON.parse(text) as { data: T }).data;

export const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });

/** Sends one request of the preparations. Throws on any failure. */
export async function ask<T>(client: Client, call: Call): Promise<T> {
  const answer = await client.send(call);
  if (answer.status >= 300) throw new Error(`${call.path}: ${answer.status} ${answer.text.slice(0, 300)}`);
  return dataOf<T>(answer);
}

export interface Account extends Credentials, Tokens {
  client: Client;
  headers: Record<string, string>;
}

export async function createAccount(client: Client): Promise<Account> {
  const person = newPerson();
  const tokens = await ask<Tokens>(client, { method: "POST", path: "/api/v1/auth/register", body: person });
  return { ...person, ...tokens, client, headers: bearer(tokens.accessToken) };
}

const SUBSCRIBING_AT_ONCE = 8;

/** Subscribes `count` webhooks at `url` to one event type. Returns their ids. */
export async function subscribe({ client, headers }: Account, type: string, url: string, count: number) {
  const ids: string[] = [];
  let next = 0;
  const loop = async () => {
    while (next < count) {
      const index = next++;
      const body = { name: `${type} ${index}`, url: `${url}/${type}/${index}`, events: [type], secret: "bench secret" };
      ids.push((await ask<{ _id: string }>(client, { method: "POST", path: "/api/v1/webhooks", headers, body }))._id);
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, SUBSCRIBING_AT_ONCE) }, loop));
  return ids;
}

export async function tenantOf({ client, headers }: Account): Promise<string> {
  return (await ask<{ tenant: { id: string } }>(client, { path: "/api/v1/auth/me", headers })).tenant.id;
}

/** About the size of a real event. */
const FILLER = "x".repeat(200);

export const payloadOf = (n: number) => ({ n, order: { id: `order-${n}`, note: FILLER } });

export const publishCall = ({ headers }: Account, type: string, n: number): Call => ({
  method: "POST",
  path: "/api/v1/events",
  headers,
  body: { type, payload: payloadOf(n) },
});
