/** Whom a sign-on is told to: the person whose account it has linked, and the owners of the tenant. */
import type { Deps } from "../../base/deps";
import { queueMailIfPossible } from "../../base/mail/queue";
import { managesMembers } from "../../base/schemas/roles";
import { tellOfJoining, tellOwners } from "../../tenancy/tenants/owner-notices";
import type { SignOnOpening } from "./opening-store";
import type { SignOnWorld } from "./world-store";

export async function tellOfSignOn(deps: Deps, opening: SignOnOpening, { connection }: SignOnWorld): Promise<void> {
  const { signedOn, verdict, session, reverts, person } = opening;
  const { tenantId } = signedOn;
  const { userId } = session;
  const email = person.name ?? "";
  if (verdict.joinsAs !== null) tellOfJoining(deps, { tenantId, role: verdict.joinsAs }, { userId, email });
  if (verdict.newRole !== null && managesMembers(verdict.newRole)) {
    const by = connection.name;
    tellOwners(deps, tenantId, { what: "roleChanged", by, person: email, role: verdict.newRole });
  }
  if (verdict.isKnown || verdict.account === null) return;
  const { tenantName } = connection;
  await queueMailIfPossible(deps, { kind: "signOnLinked", id: reverts.link.mailId, userId, tenantName });
}
