/** `/tenant/domains` and `/platform/tenants/:tenant/domains`: which domains are a tenant's. */
import * as z from "zod";
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { dataOf } from "../../base/schemas/schemas";
import { ofTenant } from "../../tenancy/directory/paths";
import { READ, READ_BY_KEY, WRITE, WRITE_BY_KEY } from "../rights";
import { checkDomain, claimDomain, domainsOf, removeDomain } from "./domains";
import { namedTenant, ownTenant } from "./holders";
import { domainBody, domainRemoval, newDomain, ofDomain, vouchedDomain } from "./schemas";

const PROOF =
  "Enter `record` in the zone of the domain, and check it. Cloudflare's and Google's resolvers must both see it. A " +
  "domain is of one tenant at a time.";
const CHECK =
  "503: a resolver gave no answer, and nothing has changed. Without the record the domain has `lastError`; what was " +
  "proved stays so until its record has been missing on three days in turn.";

const READ_IN_SETUP = { ...READ, inSetup: "domains" } as const;
const WRITE_IN_SETUP = { ...WRITE, inSetup: "domains" } as const;

const pathOfTenant = z.object({ ...ofTenant.shape, ...ofDomain.shape });

export const domains = {
  list: endpoint({
    id: "listDomains",
    summary: "Returns the tenant's domains, by name.",
    ...READ_IN_SETUP,
    answers: () => ({ 200: dataOf(z.array(domainBody)) }),
    verb: ({ deps, principal }) => domainsOf(deps, principal.tenantId),
    answer: (c, data) => c.json({ data }),
  }),
  claim: endpoint({
    id: "createDomain",
    summary: "Adds a domain, and says with which record in DNS the tenant proves it.",
    description: PROOF,
    ...WRITE_IN_SETUP,
    schema: newDomain,
    errors: ["CONFLICT", "EMAIL_NOT_VERIFIED"],
    answers: () => ({ 201: dataOf(domainBody) }),
    verb: ({ deps, principal, input }) => claimDomain(deps, ownTenant(principal), { ...input, proved: false }),
    answer: (c, data) => c.json({ data }, 201),
  }),
  check: endpoint({
    id: "checkDomain",
    summary: "Looks the record of a domain up now.",
    description: CHECK,
    ...WRITE_IN_SETUP,
    limit: { rule: "checkDomain", per: "tenant" },
    errors: ["NOT_FOUND", "SERVICE_UNAVAILABLE"],
    answers: () => ({ 200: dataOf(domainBody), path: ofDomain }),
    verb: ({ deps, principal, param }) => checkDomain(deps, ownTenant(principal), param("domain")),
    answer: (c, data) => c.json({ data }),
  }),
  remove: endpoint({
    id: "deleteDomain",
    summary: "Removes a domain. Who has signed on before can go on doing so.",
    ...WRITE_IN_SETUP,
    schema: domainRemoval,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ path: ofDomain }),
    verb: ({ deps, principal, param, input }) => removeDomain(deps, ownTenant(principal), param("domain"), input),
    answer: saying("Domain removed."),
  }),
  listByKey: endpoint({
    id: "listPlatformDomains",
    summary: "Returns a tenant's domains, by name.",
    ...READ_BY_KEY,
    answers: () => ({ 200: dataOf(z.array(domainBody)), path: ofTenant }),
    verb: async ({ deps, platformKey, param }) =>
      domainsOf(deps, (await namedTenant(deps, platformKey, param("tenant"))).tenantId),
    answer: (c, data) => c.json({ data }),
  }),
  claimByKey: endpoint({
    id: "createPlatformDomain",
    summary: "Adds a domain to a tenant, as its owners can, or vouches for it.",
    description: PROOF,
    ...WRITE_BY_KEY,
    schema: vouchedDomain,
    errors: ["CONFLICT", "EMAIL_NOT_VERIFIED"],
    answers: () => ({ 201: dataOf(domainBody), path: ofTenant }),
    verb: async ({ deps, platformKey, param, input }) =>
      claimDomain(deps, await namedTenant(deps, platformKey, param("tenant")), input),
    answer: (c, data) => c.json({ data }, 201),
  }),
  checkByKey: endpoint({
    id: "checkPlatformDomain",
    summary: "Looks the record of a tenant's domain up now.",
    description: CHECK,
    ...WRITE_BY_KEY,
    errors: ["SERVICE_UNAVAILABLE"],
    answers: () => ({ 200: dataOf(domainBody), path: pathOfTenant }),
    verb: async ({ deps, platformKey, param }) =>
      checkDomain(deps, await namedTenant(deps, platformKey, param("tenant")), param("domain")),
    answer: (c, data) => c.json({ data }),
  }),
  removeByKey: endpoint({
    id: "deletePlatformDomain",
    summary: "Removes a tenant's domain. Who has signed on before can go on doing so.",
    ...WRITE_BY_KEY,
    schema: domainRemoval,
    errors: ["CONFLICT"],
    answers: () => ({ path: pathOfTenant }),
    verb: async ({ deps, platformKey, param, input }) =>
      removeDomain(deps, await namedTenant(deps, platformKey, param("tenant")), param("domain"), input),
    answer: saying("Domain removed."),
  }),
};

export const domainRoutes = routes({
  "GET /": domains.list,
  "POST /": domains.claim,
  "POST /:domain/check": domains.check,
  "DELETE /:domain": domains.remove,
});

export const platformDomainRoutes = routes({
  "GET /:tenant/domains": domains.listByKey,
  "POST /:tenant/domains": domains.claimByKey,
  "POST /:tenant/domains/:domain/check": domains.checkByKey,
  "DELETE /:tenant/domains/:domain": domains.removeByKey,
});
