/** What callers of the operations about connections, domains and setup links must be allowed. */
import * as z from "zod";
import { recentSignIn } from "../identity/step-up/confirm";
import { ofTenant } from "../tenancy/directory/paths";

/** An identity provider's own sessions must not look at what it may. */
export const READ = { permission: "member.manage", inConfinedSession: "refused", notInPlatform: true } as const;
export const WRITE = {
  permission: "owner",
  notInPlatform: true,
  limit: { rule: "writeConnections", per: "tenant" },
  stepUp: recentSignIn,
} as const;
export const READ_BY_KEY = { scope: "connections.read", limit: { rule: "platformRead", per: "platform key" } } as const;
export const WRITE_BY_KEY = {
  scope: "connections.write",
  limit: { rule: "platformWrite", per: "platform key" },
} as const;

/** Says what WRITE asks for. */
export const BY_OWNERS = "For owners, within ten minutes of a sign-in or a step-up.";

/** The path of a platform's operations about one connection. */
export const ofConnection = ofTenant.extend({ id: z.string() });
