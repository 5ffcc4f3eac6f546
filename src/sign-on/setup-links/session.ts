/** The session that a setup link opens, once. */
import type { Deps } from "../../base/deps";
import type { RequestOrigin } from "../../base/schemas/actor";
import type { ClientContext } from "../../base/schemas/client-context";
import type { SetupTask } from "../../base/schemas/portal-schemas";
import type { SetupPrincipal } from "../../base/schemas/principal";
import { requestProof } from "../../identity/email-codes/request";
import { invalidCode, openCode } from "../../identity/email-codes/verify";
import { maySetUp } from "../../identity/portal/maker";
import { linkOfCookie, linkOfToken, type OpenedLink, openOnce } from "../../identity/portal/opening";
import { type FoundLink, makerOf } from "../../identity/portal/session-store";
import { parsedTheme } from "../../identity/portal/store";
import { standingOf } from "../../tenancy/tenants/standing-store";
import { tenantSuspended } from "../../tenancy/tenants/suspension";

/**
 * The principal of a session's cookie; null when it is unknown, when the link has ended or was revoked, or when its
 * maker may not change connections any more. Throws RATE_LIMITED when too many unknown cookies come from `clientIp`.
 */
export async function authenticateSetup(
  deps: Deps,
  cookie: string,
  clientIp: string,
  origin: RequestOrigin,
): Promise<SetupPrincipal | null> {
  const link = await linkOfCookie(deps, "setup", cookie, clientIp);
  return link && admitSetup(deps, link, origin);
}

function admitSetup(deps: Deps, link: FoundLink, origin: RequestOrigin): SetupPrincipal | null {
  if (!maySetUp(makerOf(deps, link))) return null;
  const { id, tenantName, expiresAt, returnUrl, connectionId } = link;
  const may = new Set(JSON.parse(link.permissions) as SetupTask[]);
  return {
    kind: "setup",
    userId: "",
    ...standingOf(link),
    permissions: new Set(),
    setup: { tenantName, expiresAt, theme: parsedTheme(link.theme), returnUrl, may, connectionId },
    actor: { kind: "setup", id, name: null, sessionId: null, ...origin },
  };
}

/** What whoever opens a link has: its token, and the code that was mailed. */
export interface ShownSetupLink {
  token: string;
  state?: string | undefined;
  code?: string | undefined;
}

/** The session, or the address to which a code was mailed and the state that it needs. */
export type SetupOpening = OpenedLink | { mailedTo: string; state: string };

/**
 * Uses a link. Returns null when it is unknown, was used, has ended or was revoked, or when its maker may not change
 * connections any more. Throws INVALID_CODE, and FORBIDDEN in a suspended tenant, where the link stays unused.
 */
export async function openSetupLink(
  deps: Deps,
  { token, state, code }: ShownSetupLink,
  client: ClientContext,
): Promise<SetupOpening | null> {
  const link = await linkOfToken(deps, "setup", token);
  const principal = link && link.openedAt === null ? admitSetup(deps, link, client.origin) : null;
  if (!link || !principal) return null;
  if (principal.isTenantSuspended) throw tenantSuspended();
  if (link.email !== null) {
    if (!state) return { mailedTo: link.email, state: await requestProof(deps, link.email, client) };
    await checkCode(deps, link.email, { state, code: code ?? "" });
  }
  return openOnce(deps, "setup", link, principal.actor);
}

async function checkCode(deps: Deps, email: string, entered: { state: string; code: string }): Promise<void> {
  const requested = await openCode(deps, entered);
  if (requested.email !== email || !(await requested.verify())) throw invalidCode();
}
