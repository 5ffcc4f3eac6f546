/** Refusing members who still lack the second factor that their tenant requires. */
import { AppError } from "../../base/errors";
import type { Principal } from "../../base/schemas/principal";

/** Whether the caller gets in only to set up a second factor. API keys are not asked: programs have none. */
export const lacksSecondFactor = (principal: Principal, nowMs: number): boolean =>
  principal.kind === "session" && principal.secondFactorDueAt !== null && principal.secondFactorDueAt <= nowMs;

/** The 403 for whatever such a member tries to do in the tenant. */
export const secondFactorRequired = () => new AppError("SECOND_FACTOR_REQUIRED");
