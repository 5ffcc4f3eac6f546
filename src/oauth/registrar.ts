/** Who registers and changes clients and resources, and whose they are: the platform's, or those of one tenant. */
import type { ZodType } from "zod";
import type { Access, Call, StepUp } from "../base/operation";
import type { Principal } from "../base/schemas/principal";
import { PLATFORM_TENANT } from "../base/schemas/tenant-ref";
import { CONFIRMED, operatorCredentials } from "../identity/accounts/step-up-schemas";
import { recentSignInOrCredentials, type StepUpCredentials } from "../identity/step-up/confirm";

export interface Registrar {
  caller: Principal;
  /** The owner of what is registered: `PLATFORM_TENANT`, or a tenant. */
  ownerId: string;
  /** What is fetched counts for it. */
  clientIp: string;
}

/** What operations on clients and resources are like for one kind of owner. */
export interface Ownership {
  read: Access;
  write: Access;
  /** What the documents say of how a session is confirmed. */
  confirmation: string;
  /** How a change is confirmed. */
  change: { description: string; stepUp: StepUp<StepUpCredentials> };
  /** How it is confirmed that something ends. */
  ending: { description?: string; schema?: ZodType<StepUpCredentials>; stepUp?: StepUp<StepUpCredentials> };
  /** The id of the operation that is called so for the platform: `createClient`. */
  named(id: `${string}${"Client" | "Resource"}${string}`): string;
  by(call: Pick<Call<unknown>, "principal" | "client">): Registrar;
}

const CALLERS = ["session", "platform-key"] as const;
const ipOf = ({ client }: Pick<Call<unknown>, "client">): string => client.origin.ip ?? "";

const fromCapital = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
const BY_OPERATORS = `An operator ${fromCapital(CONFIRMED)}`;

export const OF_PLATFORM: Ownership = {
  read: {
    callers: CALLERS,
    permission: "operator",
    scope: "clients.read",
    limit: { rule: "platformRead", per: "user or key" },
  },
  write: {
    callers: CALLERS,
    permission: "operator",
    scope: "clients.write",
    limit: { rule: "writeClients", per: "platform" },
  },
  confirmation: BY_OPERATORS,
  change: { description: BY_OPERATORS, stepUp: recentSignInOrCredentials },
  ending: { description: BY_OPERATORS, schema: operatorCredentials, stepUp: recentSignInOrCredentials },
  named: (id) => id,
  by: (call) => ({ caller: call.principal, ownerId: PLATFORM_TENANT, clientIp: ipOf(call) }),
};

const OF_MANAGERS = { callers: CALLERS, permission: "client.manage", notInPlatform: true } as const;
/** Where people are sent, what proves an app, and whose tokens an API takes. */
const MOVES = /Urls?$|^jwks$|^identifier$/;
const moves = (changed: object): boolean =>
  Object.entries(changed).some(([name, value]) => value !== undefined && MOVES.test(name));

export const OF_TENANT: Ownership = {
  read: OF_MANAGERS,
  write: { ...OF_MANAGERS, limit: { rule: "writeClients", per: "tenant" } },
  confirmation: `A person ${fromCapital(CONFIRMED)}`,
  change: {
    description: `Of a URL, a key or an identifier, a person ${fromCapital(CONFIRMED)}`,
    stepUp: { ...recentSignInOrCredentials, when: moves },
  },
  ending: {},
  named: (id) => id.replace(/Clients?|Resources?/, "Tenant$&"),
  by: (call) => ({ caller: call.principal, ownerId: call.principal.tenantId, clientIp: ipOf(call) }),
};
