/** What a provider's verified word comes to, in a flow through its connection. */
import type { Deps } from "../../base/deps";
import type { SignOnSessionSettings } from "../../base/schemas/connection-settings";
import { HOUR_MS } from "../../base/time";
import type { ConnectionRow } from "../connections/store";
import type { SaidOfPerson } from "../oidc/person";
import type { SignedOn } from "../signed-on";
import type { SignOnFlow } from "./flow";

/** The provider must have asked the person just now, and say so. */
const STEP_UP_SECONDS = 120;

/** How recently and strongly the person must have signed in there. */
export const sessionAsked = (session: SignOnSessionSettings, isStepUp: boolean): SignOnSessionSettings =>
  isStepUp
    ? { ...session, maxAgeSeconds: Math.min(session.maxAgeSeconds ?? STEP_UP_SECONDS, STEP_UP_SECONDS) }
    : session;

/** The person, for the exchange. */
export const signedOnBy = (
  deps: Pick<Deps, "now">,
  { id, tenantId, generation, version, settings }: ConnectionRow,
  { invitationHash }: Pick<SignOnFlow, "invitationHash">,
  person: SaidOfPerson,
): SignedOn => ({
  connectionId: id,
  tenantId,
  generation,
  version,
  ...person,
  endsAt: deps.now() + settings.session.hours * HOUR_MS,
  invitationHash,
});
