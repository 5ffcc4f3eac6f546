/** Ending a session of one's own. */
import type { Deps } from "../deps";
import { notFound } from "../errors";
import { deleteSessionOfUser } from "./store";

/** Ends one session of a user. Throws NOT_FOUND. */
export async function revokeSession(deps: Deps, userId: string, id: string): Promise<void> {
  if (!(await deleteSessionOfUser(deps, userId, id))) throw notFound("Session");
}
