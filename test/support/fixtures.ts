/** Accounts without the cost of registration: a password hash takes 40 ms of CPU, and most tests need only somebody. */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { draftSession, openedSession } from "../../src/identity/sessions/tokens";
import { insertAccount } from "../../src/identity/sign-in/store";
import { newId } from "../../src/platform/db/ids";
import { createDeps } from "../../src/platform/deps";
import { queueMailIfPossible } from "../../src/platform/mail/queue";
import type { Device } from "../../src/platform/schemas/device";

/** What registration stored of somebody with the same password and device. */
export interface Registered extends Device {
  passwordHash: string;
  createdFrom: string;
}

/**
 * Reads what a registration by `call` stored. It has an IPv4 address and no location, so `createdFrom` is the kind of
 * device alone.
 */
export async function readRegistered(email: string): Promise<Registered | null> {
  const read =
    env.DB.prepare(`SELECT u.password_hash AS passwordHash, u.created_from AS createdFrom, u.created_from AS kind,
      s.device_name AS deviceName, s.browser, s.operating_system AS operatingSystem, s.platform,
      s.ip_address AS ipAddress, s.location
    FROM users u CROSS JOIN sessions s ON s.user_id = u.id WHERE u.email = ?`);
  const stored = await read.bind(email).first<Omit<Registered, "place">>();
  return stored && { ...stored, place: `${stored.ipAddress}`.replace(/\d+$/, "0/24") };
}

/**
 * Creates an account with a tenant and a session by the functions that registration uses, and queues its verification
 * mail.
 */
export async function createAccount(email: string, { passwordHash, createdFrom, ...device }: Registered) {
  const context = createExecutionContext();
  const deps = await createDeps(env, context);
  const user = { userId: newId(), email, name: null, passwordHash, createdFrom };
  const tenant = { id: newId(), name: "Personal" };
  const draft = await draftSession(deps, user.userId, device);
  const opened = await insertAccount(
    deps,
    user,
    tenant,
    draft.row,
    { ip: device.ipAddress, userAgent: null, requestId: null },
    deps.now(),
  );
  await queueMailIfPossible(deps, { kind: "verification", userId: user.userId });
  const { tokens } = await openedSession(deps, draft, opened);
  await waitOnExecutionContext(context);
  return {
    email,
    token: tokens.accessToken,
    refreshToken: tokens.refreshToken,
    userId: user.userId,
    tenantId: tenant.id,
  };
}
