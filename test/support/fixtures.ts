/** Accounts without the cost of registration: a password hash takes 40 ms of CPU, and most tests need only somebody. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createDeps } from "../../src/base/deps";
import type { Device } from "../../src/base/schemas/device";
import { createAccount, findInvitation, type NewRegistrant } from "../../src/identity/sign-in/signup";

/** What registration stored of somebody with the same password and device. */
export interface Registered extends Device {
  passwordHash: string;
}

/**
 * Reads what a registration by `call` stored. It has an IPv4 address and no location, so `created_from` is the kind of
 * device alone.
 */
export async function readRegistered(email: string): Promise<Registered | null> {
  const read = env.DB.prepare(`SELECT u.password_hash AS passwordHash, u.created_from AS kind,
      s.device_name AS deviceName, s.browser, s.operating_system AS operatingSystem, s.platform,
      s.ip_address AS ipAddress, s.location
    FROM users u CROSS JOIN sessions s ON s.user_id = u.id WHERE u.email = ?`);
  const stored = await read.bind(email).first<Omit<Registered, "place">>();
  return stored && { ...stored, ...networkOf(`${stored.ipAddress}`) };
}

/** The address of a device, and the network that stands for its place. */
export const networkOf = (ipAddress: string) => ({ ipAddress, place: ipAddress.replace(/\d+$/, "0/24") });

/** Registers somebody with a password that was hashed before. What else registration does is done. */
export async function registerAs(registrant: NewRegistrant, { passwordHash, ...device }: Registered) {
  const context = createExecutionContext();
  const deps = await createDeps(env, context);
  const { session, tokens } = await createAccount(
    deps,
    registrant,
    await findInvitation(deps, registrant),
    { passwordHash },
    { device, locale: null, origin: { ip: device.ipAddress, userAgent: null, requestId: null } },
  );
  await waitOnExecutionContext(context);
  return {
    email: registrant.email,
    token: tokens.accessToken,
    refreshToken: tokens.refreshToken,
    userId: session.userId,
    tenantId: session.tenantId,
  };
}

/** Somebody whom no mail is on its way to, as it is after a registration. Returns the id. */
export async function userWithoutMail(): Promise<string> {
  const id = crypto.randomUUID();
  await env.DB.prepare(
    "INSERT INTO users (id, email, password_hash, created_at) VALUES (?1, ?1 || '@example.com', '', 0)",
  )
    .bind(id)
    .run();
  return id;
}
