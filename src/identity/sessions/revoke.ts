/** Ending one of one's own sessions. */
import type { Deps } from "../../base/deps";
import { notFound } from "../../base/errors";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { deleteSessionOfUser } from "./store";

/** Ends one session of a user. Throws NOT_FOUND. */
export async function revokeSession(deps: Deps, caller: SessionPrincipal, id: string): Promise<void> {
  if (!(await deleteSessionOfUser(deps, caller, id, "session.revoked"))) throw notFound("Session");
}
