/** What a browser keeps between the start of a sign-on and the provider's answer. */
import type { Deps } from "../../base/deps";
import type { Cookies } from "../../base/operation";
import { MINUTE_MS } from "../../base/time";
import { FLOW_COOKIE } from "../../identity/providers/providers";
import { seal, unseal } from "../../identity/providers/sealed";

export const FLOW_LIFETIME_MS = 10 * MINUTE_MS;

export interface SignOnFlow {
  connectionId: string;
  /** The version with which it began; another one ends it. */
  version: number;
  /** The trace of a test; null: a sign-on. */
  traceId: string | null;
  /** Whether it confirms a session, and opens none. */
  isStepUp: boolean;
  /** Where the client continues afterwards, as the request gave it; "" for nowhere. */
  to: string;
  /** Whether it began on a page of ours for apps, which then has what the app asks for in place of `to`. */
  isForApps?: boolean;
  /** Whether a response began it that answers no request: the provider sends these from its tiles. */
  isFromTile?: boolean;
  invitationHash: string | null;
  /** See `ProviderRequest`. */
  state: string;
  nonce: string;
  verifier: string;
  /** All results of one flow have this id, so one of them opens a session. */
  stateId: string;
  expiresAt: number;
}

/** The cookie is that of every sign-in with a provider: a browser goes through one at a time. */
export async function keepFlow(deps: Deps, flow: SignOnFlow, cookies: Cookies): Promise<void> {
  cookies.set(FLOW_COOKIE, await seal(deps, "sign-on flow", flow), flow.expiresAt);
}

/** Takes the browser's flow through a connection; null without one. The cookie ends. */
export async function takeFlow(deps: Deps, connectionId: string, cookies: Cookies): Promise<SignOnFlow | null> {
  const flow = await unseal<SignOnFlow>(deps, "sign-on flow", cookies.get(FLOW_COOKIE));
  cookies.delete(FLOW_COOKIE);
  return flow?.connectionId === connectionId ? flow : null;
}

/** What the address of a test stands for. */
export interface TestTicket {
  connectionId: string;
  version: number;
  traceId: string;
  expiresAt: number;
}

export const sealTicket = (deps: Deps, ticket: TestTicket): Promise<string> => seal(deps, "sign-on ticket", ticket);

export const openTicket = (deps: Deps, sealed: string): Promise<TestTicket | null> =>
  unseal<TestTicket>(deps, "sign-on ticket", sealed);
