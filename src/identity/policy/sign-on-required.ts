/** Refusing members who have not signed on where their tenant requires it. */
import type { Config } from "../../base/config/config";
import { hasSignOn } from "../../base/config/sign-on-settings";
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { isOperator } from "../../base/operator";
import { API_PATH } from "../../base/paths";
import type { AuthMethod, Principal } from "../../base/schemas/principal";
import { findWayIn, refuses } from "./sign-on-store";

/** Whether the tenant refuses the caller's session. API keys are not asked: programs do not sign on. */
export const mustSignOn = ({ config }: Pick<Deps, "config">, principal: Principal, nowMs: number): boolean =>
  principal.kind === "session" &&
  principal.signOnDueAt !== null &&
  principal.signOnDueAt <= nowMs &&
  hasSignOn(config) &&
  !isOperator(config, principal);

/** The member's person and tenant. */
interface Member {
  tenantId: string;
  userId: string;
}

/** The 403 with the address at which the person signs on. Say it only after a right credential. */
export async function signOnRequired(deps: Deps, member: Member): Promise<AppError> {
  const connection = await findWayIn(deps, member);
  const query = connection === undefined ? { tenant: member.tenantId } : { connection };
  return new AppError("SIGN_ON_REQUIRED", {
    details: [{ path: "signOn", message: addressOfSignOn(deps.config, query) }],
  });
}

/** Where a sign-on starts. */
export const addressOfSignOn = (
  { publicUrl, tokenIssuer }: Pick<Config, "publicUrl" | "tokenIssuer">,
  query: Readonly<Record<string, string>>,
): string => `${publicUrl ?? tokenIssuer}${API_PATH}/auth/sign-on?${new URLSearchParams(query)}`;

/** Throws SIGN_ON_REQUIRED if the tenant refuses a session that these methods would open for its member. */
export async function refuseWithoutSignOn(deps: Deps, member: Member, methods: readonly AuthMethod[]): Promise<void> {
  if (hasSignOn(deps.config) && (await refuses(deps, member, methods))) throw await signOnRequired(deps, member);
}
