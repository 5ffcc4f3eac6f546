/** `/account/second-factor`: people set up what a tenant or an app requires before it lets them in. */
import type { Context } from "hono";
import type { AppEnv } from "../../../base/http/env";
import { requires } from "../../../base/http/operation";
import { Say } from "../../components/mount";
import { decided } from "../../http/app-visit";
import { page, type Refused, redirectTo } from "../../http/page";
import { Pages } from "../../http/pages";
import { hasPasskeysHere } from "../../http/passkeys";
import { goingOn } from "../../http/paths";
import { atCodeField, enrolmentPages } from "../../my-security/enrolment/routes";
import { newPasskeyPages } from "../../passkeys/routes";
import { SecondFactorNeeded } from "./page";

const NOBODY_REQUIRES = { by: undefined, withPasskey: false, hasPasskey: false };

async function factorPage(c: Context<AppEnv>, refused?: Refused) {
  const isSent = c.req.query("r") !== undefined;
  const { decision, sealed = "" } = isSent ? await requirement(c) : { decision: NOBODY_REQUIRES };
  if (!decision) return c.redirect(goingOn(sealed), 303);
  if (!isSent && c.get("currentUser").twoFactorEnabled) return redirectTo(c, "");
  return page(
    c,
    { title: <Say of="factor.title" />, refused: atCodeField(refused) },
    <SecondFactorNeeded {...decision} takesPasskeys={hasPasskeysHere(c)} />,
  );
}

/** Who requires what, for the sign-in to an app; no decision if nobody does. */
async function requirement(c: Context<AppEnv>) {
  const { sealed, outcome } = await decided(c);
  if ("refusal" in outcome || outcome.decision.kind !== "factor") return { sealed };
  const { by, level, hasPasskey } = outcome.decision;
  return { sealed, decision: { by, withPasskey: level === "phr", hasPasskey } };
}

export const factorPages = new Pages()
  .get("/", requires({ openWhenSuspended: true }), (c) => factorPage(c))
  .route("/", enrolmentPages(factorPage))
  .route("/passkeys", newPasskeyPages).router;
