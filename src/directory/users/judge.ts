/**
 * Whose a record is, and whether the person gets in: by the rules of a sign-on. A directory speaks for the people of
 * its tenant's domains, and neither for operators of the service nor for the owners of the tenant.
 */
import type { Config } from "../../base/config/config";
import type { Role } from "../../base/schemas/roles";
import type { RefusalReason } from "../../sign-on/refused";
import type { DirectoryAccount, DirectoryWorld } from "./account-store";
import type { RecordState, StoredRecord } from "./record-store";

export interface RecordVerdict {
  state: RecordState;
  /** Why it is held. */
  reason: RefusalReason | null;
  /** The account; null: there is none, or one is made. */
  account: DirectoryAccount | null;
  /** Whether the account is found by its address, which must then be what it was. */
  isLinked: boolean;
  isMade: boolean;
  /** The role with which the person joins; null: they do not, or are a member. */
  joinsAs: Role | null;
  /** Whether whoever has registered the address without proving it loses the account first. */
  takesOver: boolean;
}

/** The record that is judged. */
interface Judged {
  isActive: boolean;
  email: string | null;
  /** As it was before; null: it is new. */
  before: Pick<StoredRecord, "id" | "reason"> | null;
  /** Whether somebody else can get the address back. */
  isReserved: boolean;
}

type Settings = Pick<Config, "operators">;
type Found = { account: DirectoryAccount | null; isLinked: boolean } | RefusalReason;

/** Decides by the rules in their order, of which the first that fits counts. */
export function judgeRecord(config: Settings, role: Role | null, judged: Judged, world: DirectoryWorld): RecordVerdict {
  const found = accountOf(config, judged, world);
  if (typeof found === "string") return judged.isActive ? held(found, world.own ?? null) : inactive(world.own ?? null);
  const { account, isLinked } = found;
  if (!judged.isActive)
    return isLinked && account?.isVerified === 0 ? inactive(null) : { ...inactive(account), isLinked };
  if (isLinked && account?.isVerified === 0) return { ...held(null, account), isLinked, takesOver: true };
  if (account && account.role !== null) return { ...active(account), isLinked };
  if (account === null && judged.isReserved) return held("address_taken", null);
  if (account?.isRemoved === 1 || judged.before?.reason === "removed") return { ...held("removed", account), isLinked };
  if (role === null || role === "owner") return held("no_role", world.own ?? null);
  return { ...active(account), isLinked, isMade: account === null, joinsAs: role };
}

const NOTHING = { isLinked: false, isMade: false, joinsAs: null, takesOver: false } as const;
const active = (account: DirectoryAccount | null): RecordVerdict => ({
  state: "active",
  reason: null,
  account,
  ...NOTHING,
});
const inactive = (account: DirectoryAccount | null): RecordVerdict => ({ ...active(account), state: "inactive" });
const held = (reason: RefusalReason | null, account: DirectoryAccount | null): RecordVerdict => ({
  ...active(account),
  state: "held",
  reason,
});

/** The account of the record, or why it has none. Null: one can be made. */
function accountOf({ operators }: Settings, { email, before }: Judged, world: DirectoryWorld): Found {
  const { own, addressed, bySubject, isDomainProved } = world;
  const account = own ?? bySubject ?? addressed ?? null;
  if ([email, account?.email].some((address) => address && operators.includes(address))) return "operator";
  if (account?.isSuspended === 1) return "suspended";
  if (own) return { account: own, isLinked: false };
  if (!bySubject && email === null) return "no_email";
  if (!bySubject && !isDomainProved) return "domain_not_proved";
  // Addresses pass on to other people, and subjects do not.
  if (bySubject && addressed && addressed.userId !== bySubject.userId) return "subject_changed";
  if (account && account.recordId !== null && account.recordId !== before?.id) return "subject_changed";
  return { account, isLinked: account !== null };
}
