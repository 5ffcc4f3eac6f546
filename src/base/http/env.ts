/** The types of Hono's context in this application. */

import type { Deps } from "../deps";
import type { AppError } from "../errors";
import type { LogFields } from "../log/log";
import type { CurrentUser, Principal } from "../schemas/principal";

export interface AppEnv {
  Bindings: Env;
  Variables: {
    /** An id of ours. */
    requestId: string;
    /** A well-formed `X-Request-Id` of the caller, whom the answer calls the request by. */
    clientRequestId: string | undefined;
    deps: Deps;
    /** An IPv4 address, a /64 network, or "unknown". */
    clientIp: string;
    /** Whether one of our servers has sent the request for its user, with a signed address. */
    isRelayed: boolean;
    /** Set on every route behind `requirePrincipal`. */
    principal: Principal;
    /** See `Call`. Set on every route behind `requirePrincipal`. */
    checkCaller: () => Promise<void>;
    /** Why a platform key cannot act in a tenant: the request names none, or none that the key sees. */
    tenantRefusal: AppError | undefined;
    /** Set on every console page that requires a session. */
    currentUser: CurrentUser;
    /** The path at which pages of the console are mounted elsewhere, such as in a portal. */
    mountedAt: string | undefined;
    /** Finds the registered app for which a page is shown; undefined for a page that shows none. */
    appOfPage: (() => Promise<{ name: string; logoUrl: string | null } | undefined>) | undefined;
    /** What a page for an app may do beyond the policy of pages. */
    pageUses: { imageOrigin?: string; anyFormAction?: true } | undefined;
    /** The nonce in the Content-Security-Policy of a console page; `hono/secure-headers` sets it. */
    secureHeadersNonce: string;
    /** Set where a call has reached its source, which notes itself why it refuses one. */
    hasReachedSource: true | undefined;
    /** Fields that the route adds to the log line of its request. */
    logFields: LogFields;
  };
}
