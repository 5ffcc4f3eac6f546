/** `/operator`: what the people who operate the service see. No answer has a payload, a secret, a token or a URL. */
import { Hono } from "hono";
import type { AppEnv } from "../../base/http/env";
import { saying, serve } from "../../base/http/operation";
import { describeRoute } from "../../base/http/route-docs";
import { dataOf } from "../../base/schemas/schemas";
import { auditPageBody } from "../../tenancy/audit/schemas";
import { OPERATOR_CHANGES } from "./changes";
import { operators } from "./operations";
import { operatedPerson, operatedTenant, searchResult, serviceStatus } from "./schemas";

const description =
  "For people whose verified address is in the setting `OPERATORS` and who use two-factor authentication; for " +
  "others the route does not exist. Recorded in the audit log.";

const reading = new Hono<AppEnv>()
  .get(
    "/search",
    describeRoute(
      "operatorSearch",
      "Finds tenants, people, subscriptions, events and deliveries, at most 20 of each.",
      () => ({
        200: dataOf(searchResult),
        description:
          `${description} A delivery is found by its \`webhook-id\`; one that was created by a manual retry or a ` +
          "replay is found only until its first attempt.",
      }),
    ),
    ...serve(operators.search, (c, data) => c.json({ data }), "query"),
  )
  .get(
    "/audit",
    describeRoute("operatorAudit", "Lists what operators did, newest first, page by page.", () => ({
      200: auditPageBody,
      description: `${description} It is the log of the service: no deletion of a tenant or account removes anything.`,
    })),
    ...serve(operators.audit, (c, auditPage) => c.json(auditPage), "query"),
  )
  .get(
    "/status",
    describeRoute("operatorStatus", "The state of databases and queues, what waits, and what is held.", () => ({
      200: dataOf(serviceStatus),
      description,
    })),
    ...serve(operators.status, (c, data) => c.json({ data })),
  )
  .get(
    "/tenants/:id",
    describeRoute("operatorGetTenant", "A tenant: its state, its usage and what waits.", () => ({
      200: dataOf(operatedTenant),
      description,
    })),
    ...serve(operators.tenant, (c, data) => c.json({ data })),
  )
  .get(
    "/people/:id",
    describeRoute("operatorGetPerson", "A person: the state of the account, its sessions and tenants.", () => ({
      200: dataOf(operatedPerson),
      description,
    })),
    ...serve(operators.person, (c, data) => c.json({ data })),
  );

const changing = new Hono<AppEnv>();
for (const { path, id, summary, message, operation, ...docs } of OPERATOR_CHANGES) {
  changing.post(
    path,
    describeRoute(id, summary, () => docs),
    ...serve(operation, saying(message)),
  );
}

export const operatorRoutes = new Hono<AppEnv>().route("/", reading).route("/", changing);
