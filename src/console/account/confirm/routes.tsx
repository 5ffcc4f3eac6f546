/** `/account/confirm`: a person who is signed in shows again who they are, because an app wants that. */
import type { Context, Next } from "hono";
import type { AppEnv } from "../../../base/http/env";
import { requires } from "../../../base/http/operation";
import { decided } from "../../http/app-visit";
import { Pages } from "../../http/pages";
import { goingOn } from "../../http/paths";
import { confirmPage, confirmPages } from "../../passkeys/routes";

async function confirmForApp(c: Context<AppEnv>, next: Next) {
  // A page of ours can want it too, which says where to go on.
  if (c.req.query("to") !== undefined || c.req.query("r") === undefined) return next();
  const { sealed, outcome, another } = await decided(c);
  const to = goingOn(sealed);
  if ("refusal" in outcome || outcome.decision.kind !== "confirm") return c.redirect(to, 303);
  const { withPasskey } = outcome.decision;
  return confirmPage(c, { to, app: { name: outcome.client.name, withPasskey, another } });
}

export const confirmationPages = new Pages()
  .get("/", requires({ openWhenSuspended: true, inConfinedSession: "open" }), confirmForApp)
  .route("/", confirmPages).router;
