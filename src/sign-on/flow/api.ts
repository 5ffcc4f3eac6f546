/** `/auth/sign-on`: signing in with the tenant's own identity provider; and testing its connection. */

import * as z from "zod";
import type { Deps } from "../../base/deps";
import { AppError, invalid } from "../../base/errors";
import { endpoint, routes } from "../../base/http/endpoint";
import { operation } from "../../base/operation";
import { API_PATH } from "../../base/paths";
import { dataOf } from "../../base/schemas/schemas";
import { MAX_REQUEST_CHARACTERS } from "../../identity/sign-in/providers/api";
import { callbackQuery } from "../../identity/sign-in/providers/schemas";
import { recentSignIn } from "../../identity/step-up/confirm";
import { ofTenant } from "../../tenancy/directory/paths";
import { fieldsOf } from "../../webhooks/sources/form";
import { changerBy, changerOf, reached } from "../connections/changer";
import { connectionOf } from "../connections/manage";
import { missingIn } from "../connections/problems";
import type { ConnectionChanger } from "../connections/store";
import { startTrace } from "../traces/record";
import { finishSignOn } from "./callback";
import { FLOW_LIFETIME_MS, sealTicket } from "./flow";
import { initiateSignOn } from "./initiate";
import { initiation, signOnStart, startedTest } from "./schemas";
import { startSignOn } from "./start";

const LIMITED = { callers: "anybody", limit: { rule: "signOn", per: "IP address" } } as const;
const ofConnection = z.object({ connection: z.string() });

export const signOn = {
  start: endpoint({
    id: "startSignOn",
    summary: "Sends a browser to the identity provider of a tenant.",
    description:
      "Open it as a page, with `connection` or `tenant`. The browser comes back to `APP_URL/oauth`, with a `code` " +
      "for `POST /auth/oauth/exchange`, or with an `error`: `sign_on_unavailable`, or `sign_on_refused` with the " +
      "`trace` that tells the tenant's administrators why.",
    ...LIMITED,
    schema: signOnStart,
    answers: () => ({ 302: {} }),
    verb: ({ deps, input, client, cookies }) => startSignOn(deps, input, client.origin.ip ?? "", cookies),
    answer: (c, url) => c.redirect(url, 302),
  }),
  /** The same from a page of ours for apps, to which the browser comes back with `r`, what the app asks for. */
  startForApps: operation({
    ...LIMITED,
    schema: signOnStart
      .pick({ connection: true, tenant: true, purpose: true })
      .extend({ r: z.string().max(MAX_REQUEST_CHARACTERS).default("") }),
    verb: ({ deps, input: { r, ...given }, client, cookies }) =>
      startSignOn(deps, { ...given, to: r, isForApps: true }, client.origin.ip ?? "", cookies),
  }),
  initiate: endpoint({
    id: "initiateSignOn",
    summary:
      "Starts a sign-on from a page of the identity provider, such as its tiles (OpenID Connect Core, section 4).",
    ...LIMITED,
    schema: initiation,
    errors: ["VALIDATION_FAILED"],
    answers: () => ({ 302: {}, path: ofConnection }),
    verb: ({ deps, param, input, client, cookies }) =>
      initiateSignOn(deps, param("connection"), input, client.origin.ip ?? "", cookies),
    answer: (c, url) => c.redirect(url, 302),
  }),
  initiateByForm: endpoint({
    id: "initiateSignOnByForm",
    summary: "Starts a sign-on from a page of the identity provider that sends a form.",
    description: "The form has the parameters that `initiateSignOn` takes in the query.",
    ...LIMITED,
    takesForm: true,
    errors: ["VALIDATION_FAILED"],
    answers: () => ({ 303: {}, path: ofConnection }),
    verb: async ({ deps, param, unchecked, client, cookies }) => {
      const { data, error } = initiation.safeParse(fieldsOf(await unchecked.form()));
      if (!data) throw invalid(error);
      return initiateSignOn(deps, param("connection"), data, client.origin.ip ?? "", cookies);
    },
    answer: (c, url) => c.redirect(url, 303),
  }),
  finish: endpoint({
    id: "finishSignOn",
    summary: "The address to which the identity provider of a connection sends the browser back.",
    ...LIMITED,
    answers: () => ({ 302: {}, path: ofConnection, query: callbackQuery }),
    verb: ({ deps, param, cookies, unchecked }) => finishSignOn(deps, param("connection"), unchecked.query(), cookies),
    answer: (c, url) => c.redirect(url, 302),
  }),
  test: endpoint({
    id: "testConnection",
    summary: "Begins a test of a connection: opens no session, and makes and links nobody.",
    description:
      "Open the `url` in a browser and sign in at the provider. It ends on the page of the trace. A test that has " +
      "succeeded lets the connection be activated for 24 hours, as long as it is not changed.",
    permission: "owner",
    notInPlatform: true,
    limit: { rule: "testSignOn", per: "tenant" },
    stepUp: recentSignIn,
    inSetup: "connection",
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 200: dataOf(startedTest) }),
    verb: ({ deps, principal, param }) => startTest(deps, changerOf(principal), reached(principal, param("id"))),
    answer: (c, data) => c.json({ data }),
  }),
  testByKey: endpoint({
    id: "testPlatformConnection",
    summary: "Begins a test of a connection: opens no session, and makes and links nobody.",
    scope: "connections.write",
    limit: { rule: "platformWrite", per: "platform key" },
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ 200: dataOf(startedTest), path: ofTenant.extend({ id: z.string() }) }),
    verb: async ({ deps, platformKey, param }) =>
      startTest(deps, await changerBy(deps, platformKey, param("tenant")), param("id")),
    answer: (c, data) => c.json({ data }),
  }),
};

/** Throws NOT_FOUND, and CONFLICT for a connection that is not complete. */
export async function startTest(
  deps: Deps,
  { tenantId, setupLinkId, actor }: ConnectionChanger,
  id: string,
): Promise<{ url: string; traceId: string }> {
  const connection = await connectionOf(deps, tenantId, id);
  if (connection.kind === "directory") {
    throw new AppError("CONFLICT", { message: "This connection is a directory alone: there is no sign-on to test." });
  }
  const [missing] = missingIn(connection);
  if (missing) throw new AppError("CONFLICT", { message: `${missing.message} first.`, details: [missing] });
  const of = { connectionId: id, version: connection.version };
  const traceId = await startTrace(deps, of, { setupId: setupLinkId, userId: actor.kind === "user" ? actor.id : null });
  const ticket = await sealTicket(deps, { ...of, traceId, expiresAt: deps.now() + FLOW_LIFETIME_MS });
  const { publicUrl, tokenIssuer } = deps.config;
  return { url: `${publicUrl ?? tokenIssuer}${API_PATH}/auth/sign-on?${new URLSearchParams({ ticket })}`, traceId };
}

export const signOnRoutes = routes({
  "GET /": signOn.start,
  "GET /:connection/initiate": signOn.initiate,
  "POST /:connection/initiate": signOn.initiateByForm,
  "GET /:connection/callback": signOn.finish,
});

export const connectionTestRoutes = routes({ "POST /:id/test": signOn.test });

export const platformConnectionTestRoutes = routes({ "POST /:tenant/connections/:id/test": signOn.testByKey });
