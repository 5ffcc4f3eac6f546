/** What an operator can change in the console: the words of each confirmation page, and what its form does. */

import { changeAllSends, changeSendsOfTenant } from "../../operations/operators/holds";
import { confirmation, personSuspension, suspension } from "../../operations/operators/schemas";
import {
  endSessions,
  resumePerson,
  resumeTenant,
  suspendPerson,
  suspendTenant,
} from "../../operations/operators/suspension";
import { mailRemoval } from "../../operations/operators/two-factor";
import type { Deps } from "../../platform/deps";
import type { SessionPrincipal } from "../../platform/schemas/principal";
import { parse } from "../failure";
import type { FlashKey } from "../flash-messages";

/** The fields of the form; the schemas of the API validate them. */
type Fields = Record<string, string | undefined>;

export interface Change {
  /** Under `/operator`; with `:id` of a tenant or a person. */
  path: string;
  /** The beginning of the question, such as "Suspend"; the name follows. */
  asks: string;
  effects: readonly string[];
  button: string;
  asksForReason: boolean;
  /** A box to tick: its field, which is sent as "true", and its label. */
  asksWhether?: readonly [field: string, label: string];
  done: FlashKey;
  run(deps: Deps, operator: SessionPrincipal, id: string, fields: Fields): Promise<void>;
}

const WAITING =
  "Deliveries wait, including tests and retries. They use no attempt, and nothing is lost. Attempts in progress " +
  "finish.";
const RELEASED = "Waiting deliveries go out within seconds.";

export const TENANT_CHANGES: readonly Change[] = [
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
    run: (deps, operator, id, fields) => suspendTenant(deps, operator, id, parse(suspension, fields)),
  },
  {
    path: "/tenants/:id/resume",
    asks: "Resume",
    effects: ["Members and API keys work again.", RELEASED],
    button: "Resume the tenant",
    asksForReason: true,
    done: "tenantResumed",
    run: (deps, operator, id, fields) => resumeTenant(deps, operator, id, parse(suspension, fields)),
  },
  {
    path: "/tenants/:id/sends/hold",
    asks: "Hold the sends of",
    effects: [WAITING, "Members work as before, and see why nothing arrives."],
    button: "Hold the sends",
    asksForReason: false,
    done: "sendsHeld",
    run: (deps, operator, id, fields) => changeSendsOfTenant(deps, operator, id, "hold", parse(confirmation, fields)),
  },
  {
    path: "/tenants/:id/sends/release",
    asks: "Release the sends of",
    effects: [RELEASED],
    button: "Release the sends",
    asksForReason: false,
    done: "sendsReleased",
    run: (deps, operator, id, fields) =>
      changeSendsOfTenant(deps, operator, id, "release", parse(confirmation, fields)),
  },
];

export const PERSON_CHANGES: readonly Change[] = [
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
    run: (deps, operator, id, { keepApiKeys, ...fields }) =>
      suspendPerson(deps, operator, id, parse(personSuspension, { ...fields, keepApiKeys: keepApiKeys === "true" })),
  },
  {
    path: "/people/:id/resume",
    asks: "Resume",
    effects: ["They can sign in again."],
    button: "Resume the person",
    asksForReason: true,
    done: "personResumed",
    run: (deps, operator, id, fields) => resumePerson(deps, operator, id, parse(suspension, fields)),
  },
  {
    path: "/people/:id/sessions/revoke",
    asks: "End all sessions of",
    effects: ["They are signed out everywhere, in all tenants, and can sign in again."],
    button: "End all sessions",
    asksForReason: false,
    done: "sessionsEnded",
    run: (deps, operator, id, fields) => endSessions(deps, operator, id, parse(confirmation, fields)),
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
    run: (deps, operator, id, fields) => mailRemoval(deps, operator, id, parse(confirmation, fields)),
  },
];

export const SERVICE_CHANGES: readonly Change[] = [
  {
    path: "/sends/hold",
    asks: "Hold all sends of",
    effects: [WAITING, "This is for all tenants."],
    button: "Hold all sends",
    asksForReason: false,
    done: "sendsHeld",
    run: (deps, operator, _id, fields) => changeAllSends(deps, operator, "hold", parse(confirmation, fields)),
  },
  {
    path: "/sends/release",
    asks: "Release all sends of",
    effects: [RELEASED, "Tenants that are held or suspended individually stay so."],
    button: "Release all sends",
    asksForReason: false,
    done: "sendsReleased",
    run: (deps, operator, _id, fields) => changeAllSends(deps, operator, "release", parse(confirmation, fields)),
  },
];
