/** `/auth/identities`: the providers that the signed-in user signs in with. */

import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import * as z from "zod";
import { notFound } from "../../../base/errors";
import type { AppEnv } from "../../../base/http/env";
import { saying, serve } from "../../../base/http/operation";
import { servesRequest } from "../../../base/http/permissions";
import { describeRoute, documented } from "../../../base/http/route-docs";
import { dataOf } from "../../../base/schemas/schemas";
import { hasProviders } from "../../providers/providers";
import { identity, linkPath, startedAuthorization } from "../providers/schemas";
import { identityView } from "../providers/view";
import { identities } from "./operations";

/** Nothing is served while every provider is off. */
const whenOn = documented(
  createMiddleware<AppEnv>(async (c, next) => {
    if (servesRequest(c) && !hasProviders(c.get("deps").config)) throw notFound("Route");
    await next();
  }),
  { errors: ["NOT_FOUND"] },
);

export const identityRoutes = new Hono<AppEnv>()
  .use(whenOn)
  .get(
    "/",
    describeRoute("listIdentities", "Returns the people at providers as whom the user signs in, oldest first.", () => ({
      200: dataOf(z.array(identity)),
    })),
    ...serve(identities.list, (c, rows) => c.json({ data: rows.map(identityView) })),
  )
  .post(
    "/:id",
    describeRoute("linkIdentity", "Begins to add a provider to sign in with.", () => ({
      200: dataOf(startedAuthorization),
      errors: ["EMAIL_NOT_VERIFIED", "STEP_UP_REQUIRED", "SERVICE_UNAVAILABLE"],
      path: linkPath,
      description:
        "Send the browser to the `url` of the answer; it comes back to `APP_URL/oauth`, with `linked` or with an " +
        "`error`. Needs a sign-in or a step-up within the last ten minutes. Sets a cookie, so send the request from " +
        "that browser. The user is told by mail, and their other sessions end.",
    })),
    ...serve(identities.link, (c, url) => c.json({ data: { url } })),
  )
  .delete(
    "/:id",
    describeRoute("unlinkIdentity", "Removes an identity. Sessions that it has opened stay.", () => ({
      errors: ["NOT_FOUND", "CONFLICT"],
      description:
        "Needs a sign-in or a step-up within the last ten minutes. `CONFLICT`: it is the last way to sign in.",
    })),
    ...serve(identities.unlink, saying("Identity removed.")),
  );
