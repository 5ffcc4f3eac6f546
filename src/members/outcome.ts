/** Why a change of a member was not made, as the client hears it. */
import { AppError, notFound } from "../errors";
import type { Outcome } from "./store";

/** Throws NOT_FOUND, FORBIDDEN or CONFLICT. */
export function refuse(outcome: Exclude<Outcome, "done">): never {
  if (outcome === "missing") throw notFound("Member");
  if (outcome === "forbidden") throw new AppError("FORBIDDEN");
  throw new AppError("CONFLICT", { message: "The last owner cannot be removed or demoted." });
}
