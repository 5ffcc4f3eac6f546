/** `/operator/domains`: what operators do with the domains of tenants. */
import { endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import { CONFIRMED } from "../../identity/accounts/step-up-schemas";
import { recentSignInOrCredentials } from "../../identity/step-up/confirm";
import { ofDomain } from "../../sign-on/domains/schemas";
import { moveDomain } from "./move";
import { domainMove } from "./schemas";

export const operatedDomains = {
  move: endpoint({
    id: "operatorMoveDomain",
    summary: "Gives a domain that a tenant has proved to another tenant.",
    description:
      "The former tenant loses it, and the service vouches for the other one. The owners of both are told. 409: the " +
      `tenant has the domain already. ${CONFIRMED}`,
    permission: "operator",
    limit: { rule: "operator", per: "user" },
    stepUp: recentSignInOrCredentials,
    schema: domainMove,
    errors: ["NOT_FOUND", "CONFLICT"],
    answers: () => ({ path: ofDomain }),
    verb: ({ deps, session, param, input }) => moveDomain(deps, session, param("domain"), input),
    answer: saying("Domain moved."),
  }),
};

export const operatorDomainRoutes = routes({ "POST /:domain/move": operatedDomains.move });
