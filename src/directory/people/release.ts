/** Releasing somebody whom a connection keeps out: an owner says that the person is whom the provider means. */
import type { Deps } from "../../base/deps";
import { AppError, orNotFound } from "../../base/errors";
import { type ConnectionChanger, findConnection } from "../../sign-on/connections/store";
import { messageOf } from "../../sign-on/refused";
import { changeUser, findPresent } from "../users/users";
import { release } from "./release-store";

/** Throws NOT_FOUND, and CONFLICT for whom nothing keeps out, or something that no owner can end. */
export async function releasePerson(
  deps: Deps,
  changer: ConnectionChanger,
  connectionId: string,
  personId: string,
): Promise<void> {
  const { tenantId, actor } = changer;
  const connection = orNotFound(await findConnection(deps, tenantId, connectionId), "Connection");
  if (!(await release(deps, { changer, connectionId, personId })))
    throw new AppError("CONFLICT", { message: NOT_HELD });
  const found = await findPresent(deps, connectionId, personId);
  if (!found) return;
  const { name, version, settings } = connection;
  const caller = { connectionId, tenantId, name, version, settings, actor };
  const { state: after, reason } = await changeUser(deps, caller, found, ({ record }) => record);
  if (after === "held") throw new AppError("CONFLICT", { message: messageOf(reason ?? "no_role") });
}

const NOT_HELD = "Nothing keeps this person out.";
