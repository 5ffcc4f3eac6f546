/** Tenants that require their own sign-on. */
import { env } from "cloudflare:workers";
import { call, type Person, signUpVerified } from "./client";
import { joinTenant } from "./people";
import { knownWord, one } from "./signed-on";
import { enrol } from "./two-factor";

export const run = (query: string, ...values: unknown[]) =>
  env.DB.prepare(query)
    .bind(...values)
    .run();
export const require = ({ token }: Pick<Person, "token">, signOn: object) =>
  call("PATCH", "/tenant/security", { token, body: { signOn } });
export const statusOf = async (answer: Promise<{ status: number; body: { code?: string } }>) => {
  const { status, body } = await answer;
  return status === 200 ? 200 : body.code;
};
/** What the tenant answers somebody: 200, or the code of the refusal. */
export const inside = ({ token }: Pick<Person, "token">) => statusOf(call("GET", "/webhooks", { token }));
export const refreshed = ({ refreshToken }: Person) =>
  statusOf(call("POST", "/auth/refresh", { body: { refreshToken } }));

/** An owner who may require sign-on: with a connection that knows them, and a second factor. */
export async function ready() {
  const owner = await signUpVerified();
  const word = await knownWord(owner);
  const secret = await enrol(owner);
  const proved = await one<{ domain: string }>("SELECT domain FROM domains WHERE tenant_id = ?", owner.tenantId);
  const connection = { id: word.connectionId, tenantId: owner.tenantId, domain: proved?.domain ?? "" };
  return { owner, secret, word, connection };
}

/** A tenant that requires it of all at once, and a member with a password. */
export async function strict(who: "domains" | "all" = "all") {
  const { owner, secret, word, connection } = await ready();
  const member = await joinTenant(owner, "developer");
  const { status, body } = await require(owner, { require: who, graceDays: 0 });
  if (status !== 200) throw new Error(`security answered ${status} ${JSON.stringify(body)}`);
  return { owner, secret, word, connection, member };
}
