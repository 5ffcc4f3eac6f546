/** `/operator`: what the people who operate the service see. No answer has a payload, a secret, a token or a URL. */

import type { Deps } from "../../base/deps";
import { type Endpoint, endpoint, routes } from "../../base/http/endpoint";
import { saying } from "../../base/http/operation";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { dataOf } from "../../base/schemas/schemas";
import { CONFIRMED, operatorCredentials } from "../../identity/accounts/step-up-schemas";
import { recentSignInOrCredentials } from "../../identity/step-up/confirm";
import { auditPage } from "../../tenancy/audit/log";
import { SERVICE_LOG } from "../../tenancy/audit/record-store";
import { auditPageBody, auditQuery } from "../../tenancy/audit/schemas";
import { cancelMoveOf, moveTenant } from "../moves/begin";
import { move } from "../moves/schemas";
import { changeAllSends, changeSendsOfTenant } from "./freezes";
import {
  operatedPerson,
  operatedTenant,
  personSuspension,
  searchQuery,
  searchResult,
  serviceStatus,
  suspension,
} from "./schemas";
import { search } from "./search";
import { endSignOn } from "./sign-on";
import { statusOf } from "./status";
import { endSessions, resumePerson, resumeTenant, suspendPerson, suspendTenant } from "./suspension";
import { mailRemoval } from "./two-factor";
import { personForOperator, tenantForOperator } from "./views";

const description =
  "For people whose verified address is in the setting `OPERATORS` and who use two-factor authentication; for " +
  "others the route does not exist. Recorded in the audit log.";

const OPERATOR = { permission: "operator", limit: { rule: "operator", per: "user" } } as const;
const CHANGE = { ...OPERATOR, stepUp: recentSignInOrCredentials } as const;

type Documented = Pick<Endpoint<unknown, void>, "id" | "summary" | "description" | "errors" | "answer">;

type Change<Input> = (deps: Deps, operator: SessionPrincipal, id: string, input: Input) => Promise<void>;

/** A change of a tenant or a person that needs a reason. */
const withReason = (change: Change<(typeof suspension)["_output"]>, docs: Documented) =>
  endpoint({
    ...docs,
    ...CHANGE,
    schema: suspension,
    verb: ({ deps, session, param, input }) => change(deps, session, param("id"), input),
  });

/** A change of a tenant or a person that needs no reason. */
const ofSubject = (change: (deps: Deps, operator: SessionPrincipal, id: string) => Promise<void>, docs: Documented) =>
  endpoint({
    ...docs,
    ...CHANGE,
    schema: operatorCredentials,
    verb: ({ deps, session, param }) => change(deps, session, param("id")),
  });

const HOLDING = {
  description: `Deliveries wait, tests and retries too, and use no attempt; nothing is lost. ${CONFIRMED}`,
  errors: ["SERVICE_UNAVAILABLE"],
} as const;

const ofAllSends = (change: "hold" | "release", docs: Documented) =>
  endpoint({
    ...docs,
    ...CHANGE,
    schema: operatorCredentials,
    verb: ({ deps, session }) => changeAllSends(deps, session, change),
  });

export const operators = {
  search: endpoint({
    id: "operatorSearch",
    summary: "Finds tenants, people, subscriptions, events and deliveries, at most 20 of each.",
    description:
      `${description} A delivery is found by its \`webhook-id\`; one that was created by a manual retry or a ` +
      "replay is found only until its first attempt.",
    ...OPERATOR,
    schema: searchQuery,
    answers: () => ({ 200: dataOf(searchResult) }),
    verb: ({ deps, session, input }) => search(deps, session, input.q),
    answer: (c, data) => c.json({ data }),
  }),
  audit: endpoint({
    id: "operatorAudit",
    summary: "Lists what operators did, newest first, page by page.",
    description: `${description} It is the log of the service: no deletion of a tenant or account removes anything.`,
    ...OPERATOR,
    schema: auditQuery,
    answers: () => ({ 200: auditPageBody }),
    verb: ({ deps, input }) => auditPage(deps, { tenantId: SERVICE_LOG, shard: 0 }, input),
    answer: (c, auditPage) => c.json(auditPage),
  }),
  status: endpoint({
    id: "operatorStatus",
    summary: "The state of databases and queues, what waits, and what is held.",
    description,
    ...OPERATOR,
    answers: () => ({ 200: dataOf(serviceStatus) }),
    verb: ({ deps, session }) => statusOf(deps, session),
    answer: (c, data) => c.json({ data }),
  }),
  tenant: endpoint({
    id: "operatorGetTenant",
    summary: "A tenant: its state, its usage and what waits.",
    description,
    ...OPERATOR,
    answers: () => ({ 200: dataOf(operatedTenant) }),
    verb: ({ deps, session, param }) => tenantForOperator(deps, session, param("id")),
    answer: (c, data) => c.json({ data }),
  }),
  person: endpoint({
    id: "operatorGetPerson",
    summary: "A person: the state of the account, its sessions and tenants.",
    description,
    ...OPERATOR,
    answers: () => ({ 200: dataOf(operatedPerson) }),
    verb: ({ deps, session, param }) => personForOperator(deps, session, param("id")),
    answer: (c, data) => c.json({ data }),
  }),
  suspendTenant: withReason(suspendTenant, {
    id: "operatorSuspendTenant",
    summary: "Suspends a tenant.",
    description:
      "Its tokens and API keys get 403 for everything except the user's own account below `/auth`. Nobody can delete " +
      `it. Its deliveries wait, and nothing is lost. ${CONFIRMED}`,
    answer: saying("Tenant suspended."),
  }),
  resumeTenant: withReason(resumeTenant, {
    id: "operatorResumeTenant",
    summary: "Ends the suspension of a tenant. Its waiting deliveries are sent.",
    description: CONFIRMED,
    answer: saying("Tenant resumed."),
  }),
  endSignOn: withReason(endSignOn, {
    id: "operatorEndSignOn",
    summary: "Ends the requirement of single sign-on in a tenant.",
    description: `Its members sign in as before, and its owners are told. 409: it requires none. ${CONFIRMED}`,
    errors: ["CONFLICT"],
    answer: saying("Single sign-on is not required any more."),
  }),
  moveTenant: endpoint({
    id: "operatorMoveTenant",
    summary: "Moves a tenant to another delivery database.",
    description:
      "For at most two seconds, publishing and changes of subscriptions get 503 with `Retry-After`. Open deliveries " +
      "and the log stay in the former database until retention has removed them, and requests read both. `move` of " +
      `the tenant says how far it has come. 409: its former database still has something of it. ${CONFIRMED}`,
    ...CHANGE,
    schema: move,
    errors: ["CONFLICT"],
    verb: ({ deps, session, param, input }) => moveTenant(deps, session, param("id"), input),
    answer: saying("Tenant is being moved."),
  }),
  cancelMove: ofSubject(cancelMoveOf, {
    id: "operatorCancelMove",
    summary: "Cancels the move of a tenant, which stays in its database.",
    description:
      "What was copied is deleted. 409: it is not being moved, or the move cannot be stopped any more, because it is " +
      `about to use the new database, or does. ${CONFIRMED}`,
    errors: ["CONFLICT"],
    answer: saying("Move cancelled."),
  }),
  suspendPerson: endpoint({
    id: "operatorSuspendPerson",
    summary: "Suspends a person.",
    description:
      "All of their sessions end, and logins get 403. API keys that they have made get 401, unless `keepApiKeys` is " +
      `true. 409: nobody can suspend themselves. ${CONFIRMED}`,
    ...CHANGE,
    schema: personSuspension,
    errors: ["CONFLICT"],
    verb: ({ deps, session, param, input }) => suspendPerson(deps, session, param("id"), input),
    answer: saying("Person suspended."),
  }),
  resumePerson: withReason(resumePerson, {
    id: "operatorResumePerson",
    summary: "Lets a suspended person sign in again.",
    description: CONFIRMED,
    answer: saying("Person resumed."),
  }),
  endSessions: ofSubject(endSessions, {
    id: "operatorRevokeSessions",
    summary: "Ends all sessions of a person, in all tenants.",
    description: CONFIRMED,
    answer: saying("All sessions ended."),
  }),
  removeTwoFactor: ofSubject(mailRemoval, {
    id: "operatorRemoveTwoFactor",
    summary: "Mails a person a link that removes their lost second factor.",
    description:
      "Nothing is removed until the person opens the link and confirms it, within 24 hours. 409: the person has no " +
      `second factor, or no verified address. ${CONFIRMED}`,
    errors: ["CONFLICT"],
    answer: saying("Confirmation mailed."),
  }),
  holdSends: ofAllSends("hold", {
    id: "operatorHoldSends",
    summary: "Freezes what is sent for all tenants.",
    ...HOLDING,
    answer: saying("Sends held."),
  }),
  releaseSends: ofAllSends("release", {
    id: "operatorReleaseSends",
    summary: "Releases what was frozen for all tenants.",
    ...HOLDING,
    answer: saying("Sends released."),
  }),
  holdSendsOfTenant: ofSubject((deps, operator, id) => changeSendsOfTenant(deps, operator, id, "hold"), {
    id: "operatorHoldTenantSends",
    summary: "Freezes what is sent for a tenant.",
    ...HOLDING,
    answer: saying("Sends held."),
  }),
  releaseSendsOfTenant: ofSubject((deps, operator, id) => changeSendsOfTenant(deps, operator, id, "release"), {
    id: "operatorReleaseTenantSends",
    summary: "Releases what was frozen for a tenant.",
    ...HOLDING,
    answer: saying("Sends released."),
  }),
};

export const operatorRoutes = routes({
  "GET /search": operators.search,
  "GET /audit": operators.audit,
  "GET /status": operators.status,
  "GET /tenants/:id": operators.tenant,
  "GET /people/:id": operators.person,
  "POST /tenants/:id/suspend": operators.suspendTenant,
  "POST /tenants/:id/resume": operators.resumeTenant,
  "POST /tenants/:id/sign-on/end": operators.endSignOn,
  "POST /tenants/:id/move": operators.moveTenant,
  "POST /tenants/:id/move/cancel": operators.cancelMove,
  "POST /people/:id/suspend": operators.suspendPerson,
  "POST /people/:id/resume": operators.resumePerson,
  "POST /people/:id/sessions/revoke": operators.endSessions,
  "POST /people/:id/two-factor/remove": operators.removeTwoFactor,
  "POST /sends/hold": operators.holdSends,
  "POST /sends/release": operators.releaseSends,
  "POST /tenants/:id/sends/hold": operators.holdSendsOfTenant,
  "POST /tenants/:id/sends/release": operators.releaseSendsOfTenant,
});
