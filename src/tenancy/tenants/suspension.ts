/** The 403 answers for suspended tenants and accounts. Only an operator suspends and resumes. */
import { AppError } from "../../base/errors";

/** A 403 for whatever a member of a suspended tenant, or a member's program, tries to do in it. */
export const tenantSuspended = () =>
  new AppError("FORBIDDEN", {
    message: "This tenant is suspended. Ask the operator of this service, or switch to another tenant.",
  });

/** A 403 for a login. Only somebody with the right credentials learns that there is such an account. */
export const accountSuspended = () =>
  new AppError("FORBIDDEN", { message: "This account is suspended. Ask the operator of this service." });
