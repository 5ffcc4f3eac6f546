/** The start of a sign-on: which connection, and the way to its provider. */
import { sha256Hex } from "../../base/crypto/encoding";
import type { Deps } from "../../base/deps";
import { lookUp } from "../../base/limits/unknown";
import type { Cookies } from "../../base/operation";
import { lowerUuid } from "../../base/uuid";
import { newStateId } from "../../identity/providers/sign-in-result";
import { nextPage, type Beginning as Place } from "../../identity/sign-in/providers/redirects";
import { type ConnectionRow, isOpen } from "../connections/store";
import { findById, findOnlyOpen } from "./connection-store";
import { FLOW_LIFETIME_MS, keepFlow, openTicket } from "./flow";
import { oidcRequest } from "./oidc-request";
import { samlRequest } from "./saml-request";
import type { SignOnStart } from "./schemas";

/** What a start ends in that leads to no provider. */
export const UNAVAILABLE = "sign_on_unavailable";

/** What is asked for, and whether a page of ours for apps asks, or a tile of the provider (see `SignOnFlow`). */
type Start = SignOnStart & Pick<Place, "isForApps"> & { isFromTile?: boolean };

/** Returns the URL to which the browser goes. `clientIp` counts what nobody knows. */
export async function startSignOn(deps: Deps, given: Start, clientIp: string, cookies: Cookies): Promise<string> {
  const { to = "", isForApps = false } = given;
  const begun = await beginningOf(deps, given, clientIp);
  const url = begun && (await leadToProvider(deps, begun, given, cookies));
  return url ?? nextPage(deps, { to: isForApps ? to : "", isForApps }, { error: UNAVAILABLE });
}

/** The connection that is meant, and the trace of a test. */
interface Beginning {
  connection: ConnectionRow;
  traceId: string | null;
}

async function beginningOf(
  deps: Deps,
  { connection: id, tenant, ticket }: SignOnStart,
  clientIp: string,
): Promise<Beginning | null> {
  if (ticket !== undefined) return testOf(deps, ticket);
  const mark = id === undefined ? tenant : lowerUuid(id);
  if (mark === undefined) return null;
  const found = await lookUp(deps, "unknownApiKey", { clientIp, mark: `sign-on:${mark}` }, () =>
    id === undefined ? findOnlyOpen(deps, mark) : findById(deps, mark),
  );
  return found && isOpen(found) ? { connection: found, traceId: null } : null;
}

async function testOf(deps: Deps, sealed: string): Promise<Beginning | null> {
  const ticket = await openTicket(deps, sealed);
  const connection = ticket && (await findById(deps, ticket.connectionId));
  return connection?.version === ticket?.version && ticket && connection
    ? { connection, traceId: ticket.traceId }
    : null;
}

/** Keeps the flow in the browser. Returns the provider's page; null for a connection that is not complete. */
async function leadToProvider(
  deps: Deps,
  { connection, traceId }: Beginning,
  { to = "", isForApps = false, isFromTile = false, invitationToken, login_hint: loginHint, purpose }: Start,
  cookies: Cookies,
): Promise<string | null> {
  const { id, version, kind } = connection;
  const isStepUp = purpose === "step-up" && traceId === null;
  const asking = { isStepUp, isTest: traceId !== null, loginHint };
  const request = await (kind === "saml" ? samlRequest : oidcRequest)(deps, connection, asking);
  if (!request) return null;
  const expiresAt = deps.now() + FLOW_LIFETIME_MS;
  const invitationHash = invitationToken === undefined ? null : await sha256Hex(invitationToken);
  const kept = { connectionId: id, version, traceId, isStepUp, to, isForApps, invitationHash };
  const more = isFromTile ? { isFromTile } : {};
  const secrets = { ...request.secrets, stateId: newStateId(expiresAt), expiresAt };
  await keepFlow(deps, { ...kept, ...more, ...secrets }, cookies);
  return request.url;
}
