/** People whose addresses are in the setting `OPERATORS` of the tests. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { call, type Person, signUpVerified } from "./client";
import { enrol } from "./two-factor";

const FIRST = "operator@example.com";
const SECOND = "second-operator@example.com";

/** Lets an address get notices again, of which it has a number a day: all tests of a runtime share an operator's. */
async function forgetNotices(email: string): Promise<void> {
  for (const rule of ["notice", "minorNotice"]) {
    const limiter = env.RATE_LIMITER.get(env.RATE_LIMITER.idFromName(`${rule}:${email}`));
    await runInDurableObject(limiter, (_, { storage }) => storage.deleteAll());
    await evictDurableObject(limiter);
  }
}

/** Gives a new person the address of an operator. Whoever had it before gets another one. */
export async function named(email: string): Promise<Person> {
  const person = await signUpVerified();
  await forgetNotices(email);
  await env.DB.batch([
    env.DB.prepare("UPDATE users SET email = 'former-' || id || '@example.com' WHERE email = ?").bind(email),
    env.DB.prepare("UPDATE users SET email = ? WHERE id = ?").bind(email, person.userId),
  ]);
  return { ...person, email };
}

/** Creates an operator who is signed in with two factors: a new one each time, because files share a database. */
export async function operator(email = FIRST): Promise<Person & { secret: string }> {
  const person = await named(email);
  return { ...person, secret: await enrol(person) };
}

/** Creates another operator. */
export const secondOperator = () => operator(SECOND);

/** Calls a route under `/operator`. */
export const operate = (by: Pick<Person, "token">, method: string, path: string, body?: unknown) =>
  call(method, `/operator${path}`, { token: by.token, ...(body === undefined ? {} : { body }) });
