/** `/auth/sign-on/:connection/logout`: where a provider sends its logout tokens. */
import { type Context, Hono } from "hono";
import * as z from "zod";
import type { AppEnv } from "../../base/http/env";
import { pathParam, requires } from "../../base/http/operation";
import { originOf } from "../../base/http/origin";
import { describeRoute } from "../../base/http/route-docs";
import { isForm } from "../../base/media-type";
import { signOutBy } from "./logout";

const refusal = z
  .object({ error: z.literal("invalid_request") })
  .meta({ id: "LogoutRefusal", description: "OpenID Connect Back-Channel Logout 1.0, section 2.8." });

export const logoutRoutes = new Hono<AppEnv>().post(
  "/:connection/logout",
  describeRoute("signOutByConnection", "Takes the logout token of an identity provider, and ends sessions.", () => ({
    200: {},
    400: refusal,
    path: z.object({ connection: z.string() }),
    description:
      "The `logoutUri` of a connection (OpenID Connect Back-Channel Logout 1.0): a form with `logout_token`. It ends " +
      "the sessions of the connection with the `sid`, else those of the person, with their access tokens. It answers " +
      "200 too where there are none. Each token counts once.",
  })),
  requires({ callers: "anybody", takesForm: true, limit: { rule: "signOnLogout", per: "IP address" } }),
  async (c) => {
    const token = await tokenIn(c);
    const caller = { clientIp: c.get("clientIp"), origin: originOf(c) };
    const isGood = token !== null && (await signOutBy(c.get("deps"), pathParam(c, "connection"), token, caller));
    return isGood ? c.body(null, 200) : c.json({ error: "invalid_request" }, 400);
  },
);

/** Null unless a form has it once. */
async function tokenIn(c: Context<AppEnv>): Promise<string | null> {
  if (!isForm(c.req.header("content-type"))) return null;
  const [token, more] = new URLSearchParams(await c.req.text()).getAll("logout_token");
  return token && more === undefined ? token : null;
}
