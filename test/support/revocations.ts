/** The keys under which revocations are written down. */
import { env } from "cloudflare:workers";
import { decodeJwt } from "jose";
import { call, type Person, signUpVerified } from "./client";

interface Claims {
  sid: string;
  tid: string;
  sub: string;
  iat: number;
}
export const claimsOf = ({ token }: Pick<Person, "token">) => decodeJwt(token) as unknown as Claims;
export const sessionKey = (person: Pick<Person, "token">) => `s:${claimsOf(person).sid}:${claimsOf(person).tid}`;
export const userKey = ({ userId }: Person) => `u:${userId}`;
export const memberKey = ({ tenantId, userId }: Person) => `m:${tenantId}:${userId}`;
export const tenantKey = ({ tenantId }: Person) => `t:${tenantId}`;

/** The revocations that say something about these people. */
export async function revokedOf(...people: Person[]): Promise<string[]> {
  const ids = people.flatMap((person) => [person.userId, person.tenantId, claimsOf(person).sid]);
  const { results } = await env.DB.prepare("SELECT DISTINCT key FROM revocations ORDER BY key").all<{ key: string }>();
  return results.map(({ key }) => key).filter((key) => ids.some((id) => key.includes(id)));
}

export const refresh = (refreshToken: string) => call("POST", "/auth/refresh", { body: { refreshToken } });
export const own = (person: Person, method: string, path: string, body?: unknown) =>
  call(method, path, { token: person.token, ...(body === undefined ? {} : { body }) });

export const alone = async () => [await signUpVerified()];
