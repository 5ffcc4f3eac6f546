/** What operators see and change. */

import type { Deps } from "../../base/deps";
import { operation } from "../../base/operation";
import type { SessionPrincipal } from "../../base/schemas/principal";
import { operatorCredentials } from "../../identity/accounts/step-up-schemas";
import { recentSignInOrCredentials } from "../../identity/step-up/confirm";
import { auditPage } from "../../tenancy/audit/log";
import { SERVICE_LOG } from "../../tenancy/audit/record-store";
import { auditQuery } from "../../tenancy/audit/schemas";
import { moveTenant } from "../moves/begin";
import { move } from "../moves/schemas";
import { changeAllSends, changeSendsOfTenant } from "./freezes";
import { personSuspension, searchQuery, suspension } from "./schemas";
import { search } from "./search";
import { statusOf } from "./status";
import { endSessions, resumePerson, resumeTenant, suspendPerson, suspendTenant } from "./suspension";
import { mailRemoval } from "./two-factor";
import { personForOperator, tenantForOperator } from "./views";

const OPERATOR = { permission: "operator", limit: { rule: "operator", per: "user" } } as const;
const CHANGE = { ...OPERATOR, stepUp: recentSignInOrCredentials } as const;

type Change<Input> = (deps: Deps, operator: SessionPrincipal, id: string, input: Input) => Promise<void>;

/** A change of a tenant or a person that needs a reason. */
const withReason = (change: Change<(typeof suspension)["_output"]>) =>
  operation({
    ...CHANGE,
    schema: suspension,
    verb: ({ deps, session, param, input }) => change(deps, session, param("id"), input),
  });

/** A change of a tenant or a person that needs no reason. */
const ofSubject = (change: (deps: Deps, operator: SessionPrincipal, id: string) => Promise<void>) =>
  operation({
    ...CHANGE,
    schema: operatorCredentials,
    verb: ({ deps, session, param }) => change(deps, session, param("id")),
  });

const ofAllSends = (change: "hold" | "release") =>
  operation({
    ...CHANGE,
    schema: operatorCredentials,
    verb: ({ deps, session }) => changeAllSends(deps, session, change),
  });

export const operators = {
  search: operation({
    ...OPERATOR,
    schema: searchQuery,
    verb: ({ deps, session, input }) => search(deps, session, input.q),
  }),
  audit: operation({
    ...OPERATOR,
    schema: auditQuery,
    verb: ({ deps, input }) => auditPage(deps, { tenantId: SERVICE_LOG, shard: 0 }, input),
  }),
  status: operation({ ...OPERATOR, verb: ({ deps, session }) => statusOf(deps, session) }),
  tenant: operation({
    ...OPERATOR,
    verb: ({ deps, session, param }) => tenantForOperator(deps, session, param("id")),
  }),
  person: operation({
    ...OPERATOR,
    verb: ({ deps, session, param }) => personForOperator(deps, session, param("id")),
  }),
  suspendTenant: withReason(suspendTenant),
  resumeTenant: withReason(resumeTenant),
  suspendPerson: operation({
    ...CHANGE,
    schema: personSuspension,
    verb: ({ deps, session, param, input }) => suspendPerson(deps, session, param("id"), input),
  }),
  resumePerson: withReason(resumePerson),
  endSessions: ofSubject(endSessions),
  removeTwoFactor: ofSubject(mailRemoval),
  moveTenant: operation({
    ...CHANGE,
    schema: move,
    verb: ({ deps, session, param, input }) => moveTenant(deps, session, param("id"), input),
  }),
  holdSends: ofAllSends("hold"),
  releaseSends: ofAllSends("release"),
  holdSendsOfTenant: ofSubject((deps, operator, id) => changeSendsOfTenant(deps, operator, id, "hold")),
  releaseSendsOfTenant: ofSubject((deps, operator, id) => changeSendsOfTenant(deps, operator, id, "release")),
};
