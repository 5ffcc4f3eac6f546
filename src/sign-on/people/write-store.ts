/**
 * A sign-on in D1: one batch makes or links the account, joins it, gives it its role and opens the session, or writes
 * nothing. Its conditions are those that were judged, so that nothing that has changed since is overlooked.
 */
import { sql } from "drizzle-orm";
import { atomically, violates } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { MINUTE_MS } from "../../base/time";
import { useMailCode } from "../../identity/email-codes/store";
import { announceDevice, rememberDevice } from "../../identity/sessions/known-devices-store";
import { endOldestSessions, mintSession, useTenant } from "../../identity/sessions/store";
import type { TokenSubject } from "../../identity/sessions/token-subject-store";
import { auditIfChanged } from "../../tenancy/audit/record-store";
import { recover } from "../traces/failing-store";
import { linkAccount, makeAccount, useSubject } from "./account-store";
import { followProvider } from "./managed-store";
import { giveRole, hasRoom, join } from "./membership-store";
import { begin, giveBack, isBegun, isTheirs, type SignOnOpening } from "./opening-store";

export interface OpenedSignOn {
  subject: TokenSubject;
  isNewDevice: boolean;
  /** Whether the connection was failing. */
  hasRecovered: boolean;
}

/** `used`: the code was used before. `full`: the tenant has no room. `changed`: something is not as it was judged. */
export type NotOpened = "used" | "full" | "changed";

/** Throws where an address is taken that was free. */
export async function writeSignOn(
  deps: Deps,
  opening: SignOnOpening,
  nowMs: number,
): Promise<OpenedSignOn | NotOpened> {
  try {
    return await writeOnce(deps, opening, nowMs);
  } catch (error) {
    if (violates(error, "UNIQUE", "used_states.id")) return "used";
    throw error;
  }
}

async function writeOnce(deps: Deps, opening: SignOnOpening, nowMs: number): Promise<OpenedSignOn | NotOpened> {
  const { signedOn, verdict, mailId, session, reverts, person } = opening;
  const { userId } = session;
  const { tenantId, connectionId, hasTrustedMfa, assertionId } = signedOn;
  const isOpen = sql`EXISTS (SELECT 1 FROM sessions WHERE id = ${session.id})`;
  // Names the row of `connections`, or SQLite would look for the session before it knows whether it matters.
  const hasOpened = sql`EXISTS (SELECT 1 FROM sessions os WHERE os.id = ${session.id}
    AND os.connection_id = connections.id)`;
  const event = { tenantId, actor: person, target: { kind: "user", id: userId } } as const;
  const { minted, announced, recovered, full } = await atomically(deps.db, {
    begun: begin(opening),
    ...(verdict.account === null ? makeAccount(deps, opening, nowMs) : {}),
    ...(verdict.isKnown ? useSubject(opening, nowMs) : linkAccount(opening, nowMs)),
    ...(verdict.joinsAs === null ? {} : join(deps, opening, verdict.joinsAs, nowMs)),
    ...(verdict.newRole === null ? {} : giveRole(opening, verdict.newRole, nowMs)),
    ...(verdict.isKnown && verdict.account ? followProvider(deps, opening, verdict.account, nowMs) : {}),
    minted: mintSession(
      deps.config,
      session,
      {
        tenantId,
        credential: sql`(${isBegun(opening)} AND ${isTheirs(opening)})`,
        // The tenant's provider has asked for the factors that it wants.
        factor: sql`1`,
        methods: hasTrustedMfa ? ["sign-on", "trusted-mfa"] : ["sign-on"],
      },
      nowMs,
    ),
    recorded: auditIfChanged({ ...event, action: "auth.login", meta: { method: "sign-on", connection: connectionId } }),
    ended: endOldestSessions(userId, deps.config.caps.sessions, nowMs),
    signedOnAt: sql`UPDATE connections SET last_sign_on_at = ${nowMs} WHERE id = ${connectionId}
      AND coalesce(last_sign_on_at, 0) < ${nowMs - MINUTE_MS} AND ${hasOpened}`,
    recovered: recover(connectionId, hasOpened),
    usedMail: mailId === null ? undefined : useMailCode(mailId, isOpen),
    lastUsed: useTenant(session.id, nowMs),
    announced: verdict.account === null ? undefined : announceDevice(session, reverts.device, sql``, nowMs),
    ...rememberDevice(session, nowMs),
    // Fails where the assertion was used before, and nothing is written then.
    usedAssertion:
      assertionId === undefined ? undefined : sql`INSERT INTO used_states (id) SELECT ${assertionId} WHERE ${isOpen}`,
    // Last of the changes: the statements above ask whether the sign-on has begun.
    givenBack: giveBack(opening, isOpen),
    full: verdict.joinsAs === null ? undefined : sql`SELECT 1 WHERE NOT ${hasRoom(deps, tenantId)}`,
  });
  const [subject] = minted;
  if (subject) {
    return {
      subject,
      isNewDevice: announced !== undefined && announced.length > 0,
      hasRecovered: recovered.length > 0,
    };
  }
  return full !== undefined && full.length > 0 ? "full" : "changed";
}
