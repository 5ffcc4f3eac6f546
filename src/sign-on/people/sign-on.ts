/** The exchange of a sign-on's code: it makes, finds or links the account, and opens a confined session. */
import { count } from "../../base/counts";
import { newId } from "../../base/db/ids";
import type { Deps } from "../../base/deps";
import { queueMailIfPossible } from "../../base/mail/queue";
import { newRevert } from "../../base/mail/revert-store";
import { connectionActor, userActor } from "../../base/schemas/actor";
import type { ClientContext } from "../../base/schemas/client-context";
import { MINUTE_MS } from "../../base/time";
import { isAddressTaken } from "../../identity/addresses-store";
import type { EnteredCode } from "../../identity/email-codes/verify";
import { reclaimByMailCode } from "../../identity/reclaim/by-code";
import { tenantsToLeaveOfUser } from "../../identity/reclaim/by-code-store";
import { disableAbandoned } from "../../identity/reclaim/reclaim";
import { draftSession, type OpenedSession, openedSession } from "../../identity/sessions/tokens";
import { tellOfNewDevice } from "../../identity/sign-in/open";
import { createdFrom } from "../../identity/sign-in/signup";
import { SignOnRefused } from "../refused";
import type { SignedOn } from "../signed-on";
import { tellOfRecovery } from "../traces/tell";
import { judge, type SignOnVerdict } from "./judge";
import type { SignOnOpening } from "./opening-store";
import { requireCode } from "./proof";
import { takeOver } from "./take-over-store";
import { tellOfSignOn } from "./tell";
import { type PresentConnection, readWorld, type SignOnWorld } from "./world-store";
import { type NotOpened, type OpenedSignOn, writeSignOn } from "./write-store";

/** What was judged is judged again if it has changed when it is written. */
const MAX_TRIES = 3;
/** How long ago the person may have signed in at the provider for the session to count as confirmed. */
const FRESH_MS = 3 * MINUTE_MS;

/** What a code stands for, and the id under which its use is stored. */
export type SignOnResult = SignedOn & { stateId: string };

/**
 * Opens a session. Returns null for a code that was used, or whose connection has changed. Throws SignOnRefused,
 * CONFLICT where the person must send a code that was mailed to them, INVALID_CODE and ACCOUNT_LOCKED.
 */
export async function signOn(
  deps: Deps,
  result: SignOnResult,
  entered: EnteredCode | undefined,
  client: ClientContext,
): Promise<OpenedSession | null> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const opened = await tryOnce(deps, result, entered, client);
    if (opened === "used") return null;
    if (opened === "full") throw new SignOnRefused("person", "cap");
    if (opened !== "changed") return opened;
  }
  return null;
}

async function tryOnce(
  deps: Deps,
  result: SignOnResult,
  entered: EnteredCode | undefined,
  client: ClientContext,
): Promise<OpenedSession | NotOpened> {
  const world = await readWorld(deps, result, deps.now());
  if (!world || !isPresent(world.connection, result)) return "used";
  const verdict = judge(deps.config, result, world);
  const email = (verdict.proof === "owner" ? verdict.account?.email : null) ?? result.email ?? "";
  const mailId = verdict.proof && (await requireCode(deps, verdict, email, entered, client));
  if (verdict.takesOver && verdict.account) {
    await reclaim(deps, result, world, { userId: verdict.account.userId, mailId }, client);
    return "changed";
  }
  return open(deps, result, { world, verdict, mailId }, client);
}

/** Whether people sign on through it, and it is the one with which the sign-on began. */
const isPresent = ({ isOpen, version, generation }: PresentConnection, signedOn: SignedOn): boolean =>
  isOpen && version === signedOn.version && generation === signedOn.generation;

/** Whoever has registered the address without proving it loses the account, as with a code that was mailed to it. */
async function reclaim(
  deps: Deps,
  result: SignOnResult,
  world: SignOnWorld,
  { userId, mailId }: { userId: string; mailId: string | null },
  client: ClientContext,
): Promise<void> {
  if (mailId !== null) return reclaimByMailCode(deps, { mailId, userId }, client);
  await disableAbandoned(deps, await tenantsToLeaveOfUser(deps, userId));
  const connection = connectionActor(result.connectionId, world.connection.name, client.origin);
  const opening = { signedOn: result, stateId: result.stateId, mailId, connection };
  const ended = await takeOver(deps, opening, userId, deps.now());
  if (ended) await queueMailIfPossible(deps, { kind: "accountTakenOver", id: newId(), userId, ended, byCode: true });
}

async function open(
  deps: Deps,
  result: SignOnResult,
  { world, verdict, mailId }: { world: SignOnWorld; verdict: SignOnVerdict; mailId: string | null },
  client: ClientContext,
): Promise<OpenedSession | NotOpened> {
  const { device, origin, locale } = client;
  const userId = verdict.account?.userId ?? newId();
  const email = verdict.account?.email ?? result.email ?? "";
  const draft = await draftSession(deps, userId, device);
  draft.row = { ...draft.row, expiresAt: result.endsAt, signOn: sessionOf(deps, result) };
  const nowMs = deps.now();
  const opening: SignOnOpening = {
    signedOn: result,
    verdict,
    stateId: result.stateId,
    mailId,
    session: draft.row,
    identityId: newId(),
    reverts: { device: await newRevert(deps.keys, nowMs), link: await newRevert(deps.keys, nowMs) },
    person: userActor({ userId, email, sessionId: draft.row.id }, origin),
    connection: connectionActor(result.connectionId, world.connection.name, origin),
    createdFrom: createdFrom(device),
    locale,
  };
  const written = await write(deps, opening);
  if (typeof written === "string") return written;
  count("logins", "success");
  await tellOfSignOn(deps, opening, world);
  if (written.hasRecovered) tellOfRecovery(deps, result.tenantId, result.connectionId);
  if (written.isNewDevice) await tellOfNewDevice(deps, userId, opening.reverts.device.mailId, device);
  return openedSession(deps, draft, written.subject);
}

/** Somebody may take the address at the same moment; then it is judged again. */
async function write(deps: Deps, opening: SignOnOpening): Promise<OpenedSignOn | NotOpened> {
  try {
    return await writeSignOn(deps, opening, deps.now());
  } catch (error) {
    if (!isAddressTaken(error)) throw error;
    const world = await readWorld(deps, opening.signedOn, deps.now());
    // Nobody has it, so somebody can still get it back.
    if (world && !world.known && !world.addressed) throw new SignOnRefused("person", "address_taken");
    return "changed";
  }
}

function sessionOf(deps: Deps, { connectionId, acr, sid, authenticatedAt }: SignedOn) {
  const isFresh = authenticatedAt !== null && deps.now() - authenticatedAt <= FRESH_MS;
  return { connectionId, acr, sid, isFresh };
}
