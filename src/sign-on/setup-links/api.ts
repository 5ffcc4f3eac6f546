/** `/tenant/setup-links` and `/platform/tenants/:tenant/setup-links`: links for the IT of a customer. */
import * as z from "zod";
import type { Deps } from "../../base/deps";
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { operation } from "../../base/operation";
import { dataOf } from "../../base/schemas/schemas";
import { ofTenant } from "../../tenancy/directory/paths";
import { changerBy, changerOf, makerBy, makerOf, tenantOf } from "../connections/changer";
import { READ, READ_BY_KEY, WRITE, WRITE_BY_KEY } from "../rights";
import { makeSetupLink, revokeSetupLink } from "./issue";
import { madeSetupLink, newSetupLink, openedSetupLink, setupLink } from "./schemas";
import { openSetupLink } from "./session";
import { listSetupLinks } from "./store";
import { setupLinkView } from "./view";

const WRITE_LINKS = { ...WRITE, limit: { rule: "setupLinks", per: "tenant" } } as const;

const TEXTS = {
  make: "Makes a link with which the customer's IT sets up sign-on, without an account. It opens once.",
  makeMore:
    "It shows the pages of what it `may`, and works while its maker may make one. What it makes or changes signs " +
    "nobody in before an owner, or `connections.write`, activates the connection.",
  list: "The setup links that have not ended, newest first.",
  revoke: "Ends a setup link at once, and the session that it has opened.",
} as const;

const listed = (deps: Deps, tenantId: string) => listSetupLinks(deps, tenantId, deps.now());
const made = () => ({ 201: { body: dataOf(madeSetupLink), id: "/data/id" } });

export const setupLinks = {
  make: endpoint({
    id: "createSetupLink",
    summary: TEXTS.make,
    description: `${TEXTS.makeMore} For owners, within ten minutes of a sign-in or a step-up.`,
    ...WRITE_LINKS,
    schema: newSetupLink,
    errors: ["EMAIL_NOT_VERIFIED", "CONFLICT"],
    answers: made,
    verb: ({ deps, session, input }) => makeSetupLink(deps, makerOf(deps, session), input),
    answer: (c, { row, url }) => c.json({ data: { ...setupLinkView(row), url } }, 201),
  }),
  list: endpoint({
    id: "listSetupLinks",
    summary: TEXTS.list,
    ...READ,
    answers: () => ({ 200: dataOf(z.array(setupLink)) }),
    verb: ({ deps, session }) => listed(deps, session.tenantId),
    answer: (c, rows) => c.json({ data: rows.map(setupLinkView) }),
  }),
  revoke: endpoint({
    id: "revokeSetupLink",
    summary: TEXTS.revoke,
    ...WRITE_LINKS,
    errors: ["NOT_FOUND"],
    verb: ({ deps, session, param }) => revokeSetupLink(deps, changerOf(session), param("id")),
    answer: saying("Setup link revoked."),
  }),
  makeByKey: endpoint({
    id: "createPlatformSetupLink",
    summary: TEXTS.make,
    description: TEXTS.makeMore,
    ...WRITE_BY_KEY,
    schema: newSetupLink,
    errors: ["EMAIL_NOT_VERIFIED", "NOT_FOUND", "CONFLICT"],
    answers: () => ({ ...made(), path: ofTenant }),
    verb: async ({ deps, platformKey, param, input }) =>
      makeSetupLink(deps, await makerBy(deps, platformKey, param("tenant")), input),
    answer: (c, { row, url }) => c.json({ data: { ...setupLinkView(row), url } }, 201),
  }),
  listByKey: endpoint({
    id: "listPlatformSetupLinks",
    summary: TEXTS.list,
    ...READ_BY_KEY,
    errors: ["NOT_FOUND"],
    answers: () => ({ 200: dataOf(z.array(setupLink)), path: ofTenant }),
    verb: async ({ deps, platformKey, param }) => listed(deps, await tenantOf(deps, platformKey, param("tenant"))),
    answer: (c, rows) => c.json({ data: rows.map(setupLinkView) }),
  }),
  revokeByKey: endpoint({
    id: "revokePlatformSetupLink",
    summary: TEXTS.revoke,
    ...WRITE_BY_KEY,
    errors: ["NOT_FOUND"],
    answers: () => ({ path: ofTenant.extend({ id: z.string() }) }),
    verb: async ({ deps, platformKey, param }) =>
      revokeSetupLink(deps, await changerBy(deps, platformKey, param("tenant")), param("id")),
    answer: saying("Setup link revoked."),
  }),
  open: operation({
    callers: "anybody",
    limit: { rule: "openSetup", per: "IP address" },
    schema: openedSetupLink,
    verb: ({ deps, input, client }) => openSetupLink(deps, input, client),
  }),
};

export const setupLinkRoutes = routes({
  "POST /": setupLinks.make,
  "GET /": setupLinks.list,
  "DELETE /:id": setupLinks.revoke,
});

export const platformSetupLinkRoutes = routes({
  "POST /:tenant/setup-links": setupLinks.makeByKey,
  "GET /:tenant/setup-links": setupLinks.listByKey,
  "DELETE /:tenant/setup-links/:id": setupLinks.revokeByKey,
});
