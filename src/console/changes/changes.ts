/** What an operator can change in the console: the words of each confirmation page, and what its form does. */

import type { Operation } from "../../base/operation";
import { operators } from "../../service/operators/api";
import type { FlashKey } from "../flash-messages";

export interface OperatorChange {
  /** Under `/operator`; with `:id` of a tenant or a person. */
  path: string;
  /** The beginning of the question, such as "Suspend"; the name follows. */
  asks: string;
  effects: readonly string[];
  button: string;
  asksForReason: boolean;
  /** Whether the form asks for the number of a delivery database. */
  asksForShard?: true;
  /** A box to tick: its field, which is sent as "true", and its label. */
  asksWhether?: readonly [field: string, label: string];
  done: FlashKey;
  operation: Operation<unknown, void>;
}

const WAITING =
  "Deliveries wait, including tests and retries. They use no attempt, and nothing is lost. Attempts in progress " +
  "finish.";
const RELEASED = "Waiting deliveries go out within seconds.";

export const TENANT_CHANGES: readonly OperatorChange[] = [
  {
    path: "/tenants/:id/suspend",
    asks: "Suspend",
    effects: [
      "Members and API keys can do nothing in it, not even publish. Members can still protect their accounts, switch " +
        "to another tenant and sign out. Nobody can delete the tenant.",
      WAITING,
    ],
    button: "Suspend the tenant",
    asksForReason: true,
    done: "tenantSuspended",
    operation: operators.suspendTenant,
  },
  {
    path: "/tenants/:id/resume",
    asks: "Resume",
    effects: ["Members and API keys work again.", RELEASED],
    button: "Resume the tenant",
    asksForReason: true,
    done: "tenantResumed",
    operation: operators.resumeTenant,
  },
  {
    path: "/tenants/:id/sign-on/end",
    asks: "Do not require single sign-on any more in",
    effects: ["Members sign in with their own passwords again. Owners are told by mail."],
    button: "End the requirement",
    asksForReason: true,
    done: "signOnEnded",
    operation: operators.endSignOn,
  },
  {
    path: "/tenants/:id/sends/hold",
    asks: "Freeze the sends of",
    effects: [WAITING, "Members work as before, and see why nothing arrives."],
    button: "Freeze the sends",
    asksForReason: false,
    done: "sendsFrozen",
    operation: operators.holdSendsOfTenant,
  },
  {
    path: "/tenants/:id/sends/release",
    asks: "Release the sends of",
    effects: [RELEASED],
    button: "Release the sends",
    asksForReason: false,
    done: "sendsReleased",
    operation: operators.releaseSendsOfTenant,
  },
  {
    path: "/tenants/:id/move",
    asks: "Move to another database:",
    effects: [
      "For at most two seconds, publishing and changes of subscriptions are refused, and clients try again.",
      "New events go to the new database. Open deliveries and the log stay in the former one until they are too old " +
        "to be kept, and every page shows both.",
      "The tenant cannot be moved again before that.",
    ],
    button: "Move the tenant",
    asksForReason: false,
    asksForShard: true,
    done: "tenantMoved",
    operation: operators.moveTenant,
  },
  {
    path: "/tenants/:id/move/cancel",
    asks: "Cancel the move of",
    effects: ["It stays in its present database, and what was copied is deleted."],
    button: "Cancel the move",
    asksForReason: false,
    done: "moveCancelled",
    operation: operators.cancelMove,
  },
];

export const PERSON_CHANGES: readonly OperatorChange[] = [
  {
    path: "/people/:id/suspend",
    asks: "Suspend",
    effects: [
      "All of their sessions end at once, and they cannot sign in.",
      "API keys that they created stop working too, unless you tick the box below.",
    ],
    button: "Suspend the person",
    asksForReason: true,
    asksWhether: ["keepApiKeys", "Their API keys keep working"],
    done: "personSuspended",
    operation: operators.suspendPerson,
  },
  {
    path: "/people/:id/resume",
    asks: "Resume",
    effects: ["They can sign in again."],
    button: "Resume the person",
    asksForReason: true,
    done: "personResumed",
    operation: operators.resumePerson,
  },
  {
    path: "/people/:id/sessions/revoke",
    asks: "End all sessions of",
    effects: ["They are signed out everywhere, in all tenants, and can sign in again."],
    button: "End all sessions",
    asksForReason: false,
    done: "sessionsEnded",
    operation: operators.endSessions,
  },
  {
    path: "/people/:id/two-factor/remove",
    asks: "Remove the lost second factor of",
    effects: [
      "Check who is asking, and not by email.",
      "They get an email with a link. Nothing is removed until they open it and confirm, within 24 hours.",
      "Then the second factor and its recovery codes are removed, and all of their sessions end.",
    ],
    button: "Mail the link",
    asksForReason: false,
    done: "removalMailed",
    operation: operators.removeTwoFactor,
  },
];

export const SERVICE_CHANGES: readonly OperatorChange[] = [
  {
    path: "/sends/hold",
    asks: "Freeze all sends of",
    effects: [WAITING, "This is for all tenants."],
    button: "Freeze all sends",
    asksForReason: false,
    done: "sendsFrozen",
    operation: operators.holdSends,
  },
  {
    path: "/sends/release",
    asks: "Release all sends of",
    effects: [RELEASED, "Tenants that are frozen or suspended individually stay so."],
    button: "Release all sends",
    asksForReason: false,
    done: "sendsReleased",
    operation: operators.releaseSends,
  },
];
