/** Who may sign in with a provider, and how often. */
import type { Access } from "../../platform/operation";

/** Exchanging the code of a sign-in for a session. */
export const CODE_EXCHANGE = { limit: { rule: "oauthExchange", per: "IP address" } } as const satisfies Access;
