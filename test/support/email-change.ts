/** Changes of an address, from the request to the link in the mail. */
import { expect, vi } from "vitest";
import { call, newAddress, newEmail, PASSWORD, type Person } from "./client";
import { mailTo, tokenIn } from "./mailbox";

const HOUR_MS = 3_600_000;
export const turn = (hours: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + hours * HOUR_MS });

export const ask = ({ token }: Person, email: string, proof: Record<string, unknown> = {}) =>
  call("POST", "/auth/change-email", { token, body: { email, ...proof } });
export const confirm = ({ token }: Person, mailed: string) =>
  call("POST", "/auth/change-email/confirm", { token, body: { token: mailed } });
export const me = async ({ token }: Person) => (await call("GET", "/auth/me", { token })).body.data;
export const report = (token: string) =>
  call("POST", "/auth/not-me", { body: { token }, headers: { "cf-connecting-ip": newAddress() } });
export const login = (email: string, fields: Record<string, unknown> = {}) =>
  call("POST", "/auth/login", {
    body: { email, password: PASSWORD, ...fields },
    headers: { "cf-connecting-ip": newAddress() },
  });
export const register = (email: string) =>
  call("POST", "/auth/register", {
    body: { email, password: PASSWORD },
    headers: { "cf-connecting-ip": newAddress() },
  });

/** Asks for a change and returns the token of the mail to the new address. */
export async function asked(person: Person, email = newEmail()): Promise<{ email: string; token: string }> {
  const { status } = await ask(person, email);
  if (status !== 200) throw new Error(`change-email answered ${status}`);
  return { email, token: tokenIn(await mailTo(email, /Confirm your new/)) };
}

/** Changes the address of somebody. Returns the new one, and the token of the link to the former one. */
export async function moved(person: Person, former = person.email): Promise<{ email: string; undo: string }> {
  const { email, token } = await asked(person);
  expect((await confirm(person, token)).status).toBe(200);
  return { email, undo: tokenIn(await mailTo(former, /was changed/)) };
}
