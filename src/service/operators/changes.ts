/** The changes that operators make, as the API offers them. */

import type { ErrorCode } from "../../base/errors";
import type { Operation } from "../../base/operation";
import { CONFIRMED } from "../../identity/accounts/step-up-schemas";
import { operators } from "./operations";

interface Change {
  path: string;
  id: string;
  summary: string;
  description: string;
  errors?: readonly ErrorCode[];
  /** The answer. */
  message: string;
  operation: Operation<unknown, void>;
}

const holding = (
  what: { path: string; id: string; summary: string; operation: Operation<unknown, void> },
  message: "Sends held." | "Sends released.",
): Change => ({
  ...what,
  message,
  errors: ["SERVICE_UNAVAILABLE"],
  description: `Deliveries wait, tests and retries too, and use no attempt; nothing is lost. ${CONFIRMED}`,
});

export const OPERATOR_CHANGES: readonly Change[] = [
  {
    path: "/tenants/:id/suspend",
    id: "operatorSuspendTenant",
    summary: "Suspends a tenant.",
    description:
      "Its tokens and API keys get 403 for everything except the user's own account below `/auth`. Nobody can delete " +
      `it. Its deliveries wait, and nothing is lost. ${CONFIRMED}`,
    message: "Tenant suspended.",
    operation: operators.suspendTenant,
  },
  {
    path: "/tenants/:id/resume",
    id: "operatorResumeTenant",
    summary: "Ends the suspension of a tenant. Its waiting deliveries are sent.",
    description: CONFIRMED,
    message: "Tenant resumed.",
    operation: operators.resumeTenant,
  },
  {
    path: "/tenants/:id/move",
    id: "operatorMoveTenant",
    summary: "Moves a tenant to another delivery database.",
    description:
      "For a few seconds, publishing and changes of subscriptions get 503 with `Retry-After`. Open deliveries and " +
      "the log stay in the former database until retention has removed them, and requests read both. `move` of " +
      `the tenant says how far it has come. 409: its former database still has something of it. ${CONFIRMED}`,
    errors: ["CONFLICT"],
    message: "Tenant is being moved.",
    operation: operators.moveTenant,
  },
  {
    path: "/people/:id/suspend",
    id: "operatorSuspendPerson",
    summary: "Suspends a person.",
    description:
      "All of their sessions end, and logins get 403. API keys that they have made get 401, unless `keepApiKeys` is " +
      `true. 409: nobody can suspend themselves. ${CONFIRMED}`,
    errors: ["CONFLICT"],
    message: "Person suspended.",
    operation: operators.suspendPerson,
  },
  {
    path: "/people/:id/resume",
    id: "operatorResumePerson",
    summary: "Lets a suspended person sign in again.",
    description: CONFIRMED,
    message: "Person resumed.",
    operation: operators.resumePerson,
  },
  {
    path: "/people/:id/sessions/revoke",
    id: "operatorRevokeSessions",
    summary: "Ends all sessions of a person, in all tenants.",
    description: CONFIRMED,
    message: "All sessions ended.",
    operation: operators.endSessions,
  },
  {
    path: "/people/:id/two-factor/remove",
    id: "operatorRemoveTwoFactor",
    summary: "Mails a person a link that removes their lost second factor.",
    description:
      "Nothing is removed until the person opens the link and confirms it, within 24 hours. 409: the person has no " +
      `second factor, or no verified address. ${CONFIRMED}`,
    errors: ["CONFLICT"],
    message: "Confirmation mailed.",
    operation: operators.removeTwoFactor,
  },
  holding(
    {
      path: "/sends/hold",
      id: "operatorHoldSends",
      summary: "Freezes what is sent for all tenants.",
      operation: operators.holdSends,
    },
    "Sends held.",
  ),
  holding(
    {
      path: "/sends/release",
      id: "operatorReleaseSends",
      summary: "Releases what was frozen for all tenants.",
      operation: operators.releaseSends,
    },
    "Sends released.",
  ),
  holding(
    {
      path: "/tenants/:id/sends/hold",
      id: "operatorHoldTenantSends",
      summary: "Freezes what is sent for a tenant.",
      operation: operators.holdSendsOfTenant,
    },
    "Sends held.",
  ),
  holding(
    {
      path: "/tenants/:id/sends/release",
      id: "operatorReleaseTenantSends",
      summary: "Releases what was frozen for a tenant.",
      operation: operators.releaseSendsOfTenant,
    },
    "Sends released.",
  ),
];
