/** `/operator`: what the people who operate the service see. No answer has a payload, a secret, a token or a URL. */
import { Hono } from "hono";
import type { AppEnv } from "../../platform/http/env";
import { operatorsOnly, sessionOf, sessionOnly } from "../../platform/http/permissions";
import { byUser, limit } from "../../platform/http/rate-limit";
import { describeRoute } from "../../platform/http/route-docs";
import { body, query } from "../../platform/http/validate";
import { dataOf, says } from "../../platform/schemas/schemas";
import {
  CONFIRMATION_ERRORS,
  CONFIRMED,
  confirmation,
  operatedPerson,
  operatedTenant,
  searchQuery,
  searchResult,
  serviceStatus,
  suspension,
} from "./schemas";
import { search } from "./search";
import { statusOf } from "./status";
import { endSessions, resumePerson, resumeTenant, suspendPerson, suspendTenant } from "./suspension";
import { mailRemoval } from "./two-factor";
import { personForOperator, tenantForOperator } from "./views";

const limited = limit("operator", byUser);
const description =
  "For people whose verified address is in the setting `OPERATORS` and who use two-factor authentication; for " +
  "others the route does not exist. Recorded in the audit log.";

export const operatorReadRoutes = new Hono<AppEnv>()
  .get(
    "/search",
    describeRoute(
      "operatorSearch",
      "Finds tenants, people, subscriptions, events and deliveries, at most 20 of each.",
      {
        200: dataOf(searchResult),
        description: `${description} A delivery is found by its \`webhook-id\`; one that was created by a manual retry or a replay is found only until its first attempt.`,
      },
    ),
    sessionOnly,
    operatorsOnly,
    limited,
    query(searchQuery),
    async (c) => c.json({ data: await search(c.get("deps"), sessionOf(c), c.req.valid("query").q) }),
  )
  .get(
    "/status",
    describeRoute("operatorStatus", "The state of databases and queues, what waits, and what is held.", {
      200: dataOf(serviceStatus),
      description,
    }),
    sessionOnly,
    operatorsOnly,
    limited,
    async (c) => c.json({ data: await statusOf(c.get("deps"), sessionOf(c)) }),
  )
  .get(
    "/tenants/:id",
    describeRoute("operatorGetTenant", "A tenant: its state, its usage and what waits.", {
      200: dataOf(operatedTenant),
      description,
    }),
    sessionOnly,
    operatorsOnly,
    limited,
    async (c) => c.json({ data: await tenantForOperator(c.get("deps"), sessionOf(c), c.req.param("id")) }),
  )
  .get(
    "/people/:id",
    describeRoute("operatorGetPerson", "A person: the state of the account, its sessions and tenants.", {
      200: dataOf(operatedPerson),
      description,
    }),
    sessionOnly,
    operatorsOnly,
    limited,
    async (c) => c.json({ data: await personForOperator(c.get("deps"), sessionOf(c), c.req.param("id")) }),
  );

export const operatorWriteRoutes = new Hono<AppEnv>()
  .post(
    "/tenants/:id/suspend",
    describeRoute("operatorSuspendTenant", "Suspends a tenant.", {
      200: says("Tenant suspended."),
      errors: CONFIRMATION_ERRORS,
      description: `Its tokens and API keys get 403 for everything except the user's own profile, switching to another tenant and signing out. Its deliveries wait, and nothing is lost. ${CONFIRMED}`,
    }),
    sessionOnly,
    operatorsOnly,
    limited,
    body(suspension),
    async (c) => {
      await suspendTenant(c.get("deps"), sessionOf(c), c.req.param("id"), c.req.valid("json"));
      return c.json({ message: "Tenant suspended." });
    },
  )
  .post(
    "/tenants/:id/resume",
    describeRoute("operatorResumeTenant", "Ends the suspension of a tenant. Its waiting deliveries are sent.", {
      200: says("Tenant resumed."),
      errors: CONFIRMATION_ERRORS,
      description: CONFIRMED,
    }),
    sessionOnly,
    operatorsOnly,
    limited,
    body(suspension),
    async (c) => {
      await resumeTenant(c.get("deps"), sessionOf(c), c.req.param("id"), c.req.valid("json"));
      return c.json({ message: "Tenant resumed." });
    },
  )
  .post(
    "/people/:id/suspend",
    describeRoute("operatorSuspendPerson", "Suspends a person.", {
      200: says("Person suspended."),
      errors: [...CONFIRMATION_ERRORS, "CONFLICT"],
      description: `All of their sessions end, and logins get 403. API keys that they have made stay with their tenants. 409: nobody can suspend themselves. ${CONFIRMED}`,
    }),
    sessionOnly,
    operatorsOnly,
    limited,
    body(suspension),
    async (c) => {
      await suspendPerson(c.get("deps"), sessionOf(c), c.req.param("id"), c.req.valid("json"));
      return c.json({ message: "Person suspended." });
    },
  )
  .post(
    "/people/:id/resume",
    describeRoute("operatorResumePerson", "Lets a suspended person sign in again.", {
      200: says("Person resumed."),
      errors: CONFIRMATION_ERRORS,
      description: CONFIRMED,
    }),
    sessionOnly,
    operatorsOnly,
    limited,
    body(suspension),
    async (c) => {
      await resumePerson(c.get("deps"), sessionOf(c), c.req.param("id"), c.req.valid("json"));
      return c.json({ message: "Person resumed." });
    },
  )
  .post(
    "/people/:id/sessions/revoke",
    describeRoute("operatorRevokeSessions", "Ends all sessions of a person, in all tenants.", {
      200: says("All sessions ended."),
      errors: CONFIRMATION_ERRORS,
      description: CONFIRMED,
    }),
    sessionOnly,
    operatorsOnly,
    limited,
    body(confirmation),
    async (c) => {
      await endSessions(c.get("deps"), sessionOf(c), c.req.param("id"), c.req.valid("json"));
      return c.json({ message: "All sessions ended." });
    },
  )
  .post(
    "/people/:id/two-factor/remove",
    describeRoute("operatorRemoveTwoFactor", "Mails a person a link that removes their lost second factor.", {
      200: says("Confirmation mailed."),
      errors: [...CONFIRMATION_ERRORS, "CONFLICT"],
      description: `Nothing is removed until the person opens the link and confirms it, within 24 hours. 409: the person has no second factor, or no verified address. ${CONFIRMED}`,
    }),
    sessionOnly,
    operatorsOnly,
    limited,
    body(confirmation),
    async (c) => {
      await mailRemoval(c.get("deps"), sessionOf(c), c.req.param("id"), c.req.valid("json"));
      return c.json({ message: "Confirmation mailed." });
    },
  );
