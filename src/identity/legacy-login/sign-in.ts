/** The first sign-in of somebody whose password only the former service knows. */

import type { LegacyLogin } from "../../base/config/legacy-login-settings";
import { hasBytesToHash, hashPassword } from "../../base/crypto/passwords";
import type { Deps } from "../../base/deps";
import { unavailable } from "../../base/errors";
import { log } from "../../base/log/log";
import type { RequestOrigin } from "../../base/schemas/actor";
import { findCredentialsByEmail, type StoredCredentials } from "../accounts/credentials-store";
import { hashShortPassword } from "../passwords/imported/short";
import { verifyStoredPassword } from "../passwords/imported/verify";
import { decide } from "../people/decide";
import type { Row } from "../people/person";
import { readLine } from "../people/row";
import { endTakenOver, seal } from "../people/seal";
import { nameOf } from "../people/world";
import { readState, stateFor, worldOf } from "../people/world-store";
import { askFormerService, type FormerProfile } from "./ask";
import { isOutdated, writePerson } from "./store";

/** How often an account is decided about again because somebody else has changed it meanwhile. */
const MAX_TRIES = 5;

/** The former service; null when there is none, or it is no longer asked. */
export const formerService = ({ config, now }: Pick<Deps, "config" | "now">): LegacyLogin | null =>
  config.legacyLogin && now() < config.legacyLogin.until ? config.legacyLogin : null;

/**
 * Whether the former service decides about the password: there is no account, or it never had a password here. It never
 * decides about operators.
 */
export const isUnknownHere = ({ config }: Deps, email: string, stored: StoredCredentials | undefined): boolean =>
  !config.operators.includes(email) && (!stored || (stored.passwordHash === "" && stored.passwordRemovedAt === null));

interface Credentials {
  email: string;
  password: string;
  tenantId?: string | undefined;
}

/**
 * Asks the former service. If the password is right, the account is made or completed and gets the password. Returns
 * null for a wrong one. Throws SERVICE_UNAVAILABLE when the service does not answer, or describes somebody who cannot
 * be taken over.
 */
export async function signInAtFormerService(
  deps: Deps,
  service: LegacyLogin,
  { email, password, tenantId = undefined }: Credentials,
  origin: RequestOrigin,
): Promise<StoredCredentials | null> {
  const verdict = await askFormerService(deps, service, { email, password });
  if (!verdict.ok) return null;
  const { profile } = verdict;
  const passwordHash = hasBytesToHash(password) ? await hashPassword(password) : await hashShortPassword(password);
  const row = { ...(await readProfile(deps, email, profile)), passwordHash };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if (!(await writeAccount(deps, row, profile, origin))) return null;
    const stored = await findCredentialsByEmail(deps, email, tenantId ?? null);
    if (stored?.passwordHash === passwordHash) return stored;
    if (stored && !isUnknownHere(deps, email, stored)) {
      // A parallel sign-in was faster, or the account got another password.
      return (await verifyStoredPassword(deps, password, stored.passwordHash)).correct ? stored : null;
    }
  }
  throw unavailable({ message: "The account is being changed. Try again." });
}

async function readProfile(deps: Deps, email: string, profile: FormerProfile): Promise<Row> {
  const line = JSON.stringify({ ...profile, email, password: null });
  const read = await readLine(line, { deps, hashes: { importId: "", firebase: null }, nowMs: deps.now() });
  if ("row" in read) return read.row;
  throw refused(read.refused);
}

function refused(reason: string) {
  log("error", "legacy login refused", { reason });
  return unavailable({ message: "This account cannot be signed in to for now." });
}

/**
 * Makes or completes the account, unless somebody was faster. Returns false when the former service does not say that
 * the address is proven, and somebody signs in to the account here: they may be two people.
 */
async function writeAccount(deps: Deps, row: Row, profile: FormerProfile, origin: RequestOrigin): Promise<boolean> {
  const nowMs = deps.now();
  const query = stateFor(deps, [row], nowMs);
  const text = await readState(deps, query);
  const world = worldOf(text);
  if (profile.emailVerified !== true && world.find(nameOf.email(row.email))?.isUsed) return false;
  const { operators } = deps.config;
  const decision = decide(row, world, { onExisting: "update", operators, givesPassword: true });
  if (decision.outcome === "refused") throw refused(decision.reason);
  if (decision.outcome === "skipped") return true;
  const change = await seal(deps, decision.change, row);
  await endTakenOver(deps, [change]);
  try {
    await writePerson(deps, change, { query, text }, origin, nowMs);
  } catch (error) {
    if (!isOutdated(error)) throw error;
  }
  return true;
}
