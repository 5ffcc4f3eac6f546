/** The types of Hono's context here. */
import type { Deps } from "../deps";
import type { LogFields } from "../log";
import type { CurrentUser } from "../sessions/authenticate";
import type { Principal } from "../tenants/principal";

export interface AppEnv {
  Bindings: Env;
  Variables: {
    requestId: string;
    deps: Deps;
    /** Set on every route of the authenticated router. */
    principal: Principal;
    /** Set on every page of the console behind its door. */
    currentUser: CurrentUser;
    /** The nonce in the Content-Security-Policy of a console page; `hono/secure-headers` sets it. */
    secureHeadersNonce: string;
    /** What the route adds to its request's log line. */
    logFields: LogFields;
  };
}
