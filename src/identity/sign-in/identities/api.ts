/** `/auth/identities`: the providers that the signed-in user signs in with. */

import { createMiddleware } from "hono/factory";
import * as z from "zod";
import { notFound } from "../../../base/errors";
import { endpoint, routes } from "../../../base/http/endpoint";
import type { AppEnv } from "../../../base/http/env";
import { saying } from "../../../base/http/operation";
import { documented } from "../../../base/http/route-docs";
import { type Call, operation } from "../../../base/operation";
import { dataOf } from "../../../base/schemas/schemas";
import { stepUpFields } from "../../accounts/step-up-schemas";
import { hasProviders } from "../../providers/providers";
import { listIdentitiesOfUser } from "../../providers/store";
import { recentSignIn, recentSignInOrCredentials, requireVerifiedAddress } from "../../step-up/confirm";
import { identity, linkBody, linkPath, startedAuthorization } from "../providers/schemas";
import { identityView } from "../providers/view";
import { linkedProvider, removeIdentity, startLinking } from "./own";

/** Nothing is served while every provider is off. */
const whenOn = documented(
  createMiddleware<AppEnv>(async (c, next) => {
    if (!hasProviders(c.get("deps").config)) throw notFound("Route");
    await next();
  }),
  { errors: ["NOT_FOUND"] },
);

const OWN = { openWhenSuspended: true, limit: { rule: "identities", per: "user" } } as const;

/** The form of the console may send the password for the step-up. */
const password = z.object(stepUpFields).pick({ password: true });

const refuseToLink = ({ deps, session, param }: Call<unknown>) => {
  linkedProvider(deps, param("id"));
  requireVerifiedAddress(deps, session);
};

export const identities = {
  list: endpoint({
    id: "listIdentities",
    summary: "Returns the people at providers as whom the user signs in, oldest first.",
    openWhenSuspended: true,
    answers: () => ({ 200: dataOf(z.array(identity)) }),
    first: whenOn,
    verb: ({ deps, session }) => listIdentitiesOfUser(deps, session.userId),
    answer: (c, rows) => c.json({ data: rows.map(identityView) }),
  }),
  link: endpoint({
    id: "linkIdentity",
    summary: "Begins to add a provider to sign in with.",
    description:
      "Send the browser to the `url` of the answer; it comes back to `APP_URL/oauth`, with `linked` or with an " +
      "`error`. Needs a sign-in or a step-up within the last ten minutes. Sets a cookie, so send the request from " +
      "that browser. The user is told by mail, and their other sessions end.",
    ...OWN,
    takesCookiesAcrossOrigins: true,
    schema: linkBody,
    refuse: refuseToLink,
    stepUp: recentSignIn,
    errors: ["EMAIL_NOT_VERIFIED", "SERVICE_UNAVAILABLE"],
    answers: () => ({ 200: dataOf(startedAuthorization), path: linkPath }),
    first: whenOn,
    verb: ({ deps, session, param, input, cookies }) =>
      startLinking(deps, session, { name: param("id"), to: input.to }, cookies),
    answer: (c, url) => c.json({ data: { url } }),
  }),
  linkWithPassword: operation({
    ...OWN,
    schema: password,
    refuse: refuseToLink,
    stepUp: recentSignInOrCredentials,
    verb: ({ deps, session, param, cookies }) => startLinking(deps, session, { name: param("id") }, cookies),
  }),
  unlink: endpoint({
    id: "unlinkIdentity",
    summary: "Removes an identity. Sessions that it has opened stay.",
    description: "Needs a sign-in or a step-up within the last ten minutes. `CONFLICT`: it is the last way to sign in.",
    ...OWN,
    stepUp: recentSignIn,
    errors: ["NOT_FOUND", "CONFLICT"],
    first: whenOn,
    verb: ({ deps, session, param }) => removeIdentity(deps, session, param("id")),
    answer: saying("Identity removed."),
  }),
  unlinkWithPassword: operation({
    ...OWN,
    schema: password,
    stepUp: recentSignInOrCredentials,
    verb: ({ deps, session, param }) => removeIdentity(deps, session, param("id")),
  }),
};

export const identityRoutes = routes({
  "GET /": identities.list,
  "POST /:id": identities.link,
  "DELETE /:id": identities.unlink,
});
