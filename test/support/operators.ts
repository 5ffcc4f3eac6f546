/** People whose addresses are in the setting `OPERATORS` of the tests. */
import { env } from "cloudflare:workers";
import { call, type Person, signUpVerified } from "./client";
import { enrol } from "./two-factor";

const FIRST = "operator@example.com";
const SECOND = "second-operator@example.com";

/** Gives a new person the address of an operator. Whoever had it before gets another one. */
export async function named(email: string): Promise<Person> {
  const person = await signUpVerified();
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

/** Creates an operator for the one test that reads such mails: an address gets at most 20 notices a day. */
export const mailedOperator = () => operator("mailed-operator@example.com");

/** Calls a route under `/operator`. */
export const operate = (by: Pick<Person, "token">, method: string, path: string, body?: unknown) =>
  call(method, `/operator${path}`, { token: by.token, ...(body === undefined ? {} : { body }) });
