/** What each way to sign in says about itself; sign-in-methods.ts has the ways. */
import type { RuleName } from "../../src/base/limits/rules";
import type { AuditAction } from "../../src/base/schemas/audit-actions";
import type { SignedOn } from "../../src/sign-on/signed-on";
import type { SoftPasskey } from "./authenticator";
import type { Answer, Person } from "./client";
import type { Browser } from "./oauth";

/** Somebody who tries to sign in. While they have no account, the ids are empty. */
export interface Comer extends Person {
  browser: Browser;
  /** Whether the provider says that the address is theirs. */
  isVerified: boolean;
  passkey?: SoftPasskey;
  /** Their subject at the provider. */
  sub?: string;
  /** The verified word of their tenant's own provider. */
  word?: SignedOn;
  /** The token of an invitation to the address. */
  invitationToken?: string;
}

/** What is sent besides the proof. `wrong`: the proof is invalid. */
export interface Given {
  totp?: string;
  tenantId?: string;
  wrong?: boolean;
}

export type Step = (given: Given) => Promise<Answer>;

export interface Way {
  /** The routes that open the session. */
  routes: string[];
  /** The limit of those routes. */
  limit: RuleName;
  /** The second factor that its comers have. */
  factor?: "totp" | "recovery";
  /** What its comers have besides. */
  has?: "passkey" | "identity" | "subject";
  /** Its comers have no account yet. `invited`: they have an invitation. */
  isNew?: true | "invited";
  /** It continues an open session. */
  keeps?: true;
  /** Settings under which it is possible. */
  variables?: Record<string, string>;
  /** The actions that it leaves in the audit log when it succeeds, sorted. */
  records: AuditAction[];
  prepare(comer: Comer): Promise<Step>;
}
