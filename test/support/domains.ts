/** Domains of tenants, and what the resolvers of resolver-worker.mjs see of them. */
import { env } from "cloudflare:workers";
import { type Answer, call, type Person } from "./client";

/** The records that a resolver sees, or a fault of it. */
type Seen = readonly (string | readonly string[])[] | string;

export const newDomain = (): string => `d-${crypto.randomUUID()}.example`;

/** Says what the two resolvers see of the record of a domain. */
export async function setZone(domain: string, seen: { one: Seen; two: Seen }): Promise<void> {
  await env.RECEIVER.fetch(`http://zone/${domain}`, { method: "PUT", body: JSON.stringify(seen) });
}

/** How many questions there were about a domain. */
export async function questionsAbout(domain: string): Promise<number> {
  const { asked } = (await (await env.RECEIVER.fetch(`http://zone/${domain}`)).json()) as { asked: number };
  return asked;
}

/** A new domain for which the product vouches, as it is stored. */
export async function vouchedDomain(tenantId: string): Promise<string> {
  const [domain, now] = [newDomain(), Date.now()];
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO domains (tenant_id, domain, state, proved_by, proved_at, denied_days, created_at)
       VALUES (?1, ?2, 'proved', 'platform', ?3, 0, ?3)`,
    ).bind(tenantId, domain, now),
    env.DB.prepare("UPDATE tenants SET trusted_at = coalesce(trusted_at, ?2) WHERE id = ?1").bind(tenantId, now),
  ]);
  return domain;
}

/** Adds a domain, and returns the value of its record. */
export async function claim({ token }: Pick<Person, "token">, domain: string): Promise<string> {
  const { status, body } = await call("POST", "/tenant/domains", { token, body: { domain } });
  if (status !== 201) throw new Error(`claim answered ${status} ${JSON.stringify(body)}`);
  return body.data.record.value;
}

export const check = ({ token }: Pick<Person, "token">, domain: string): Promise<Answer> =>
  call("POST", `/tenant/domains/${domain}/check`, { token });

/** A domain of the tenant that DNS has proved; a new one unless given. */
export async function proveByDns(person: Person, domain = newDomain()): Promise<string> {
  const value = await claim(person, domain);
  await setZone(domain, { one: [value], two: [value] });
  const { status, body } = await check(person, domain);
  if (status !== 200 || body.data.state !== "proved") throw new Error(`not proved: ${JSON.stringify(body)}`);
  return domain;
}
