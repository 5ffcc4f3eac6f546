/** Checks codes that people enter. */
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { isExpired, isMailCode } from "./code";
import { openState } from "./state";
import { countAttempt } from "./store";

/** A code as somebody entered it. */
export interface EnteredCode {
  /** From the answer to the request for the code. */
  state: string;
  code: string;
}

/** A code that was mailed, as its state names it. */
export interface RequestedCode {
  mailId: string;
  email: string;
  /** Whether the code is right. Counts a wrong code; after five wrong codes, even parallel ones, no code is right. */
  verify: () => Promise<boolean>;
}

export const invalidCode = () => new AppError("INVALID_CODE");

/** Opens the state of a code. Throws INVALID_CODE when the code has expired or the state was not made here. */
export async function openCode(deps: Deps, { state, code }: EnteredCode): Promise<RequestedCode> {
  const opened = await openState(deps, state);
  if (!opened || isExpired(opened.mailId, deps.now())) throw invalidCode();
  const { mailId, email, isMailed } = opened;
  return {
    mailId,
    email,
    verify: async () => {
      const isRight = (await isMailCode(deps, mailId, code)) && isMailed;
      return (await countAttempt(deps, mailId, isRight)) && isRight;
    },
  };
}
