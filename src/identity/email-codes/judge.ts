/** Checks codes that people enter. */
import type { Deps } from "../../platform/deps";
import { AppError } from "../../platform/errors";
import { isExpired, isMailCode } from "./code";
import { openState } from "./state";
import { countGuess } from "./store";

/** A code as somebody entered it. */
export interface EnteredCode {
  /** From the answer to the request for the code. */
  state: string;
  code: string;
}

/** The mail and the address that the state of a code names. */
export interface AskedCode {
  mailId: string;
  email: string;
  /** Whether the code is right. Counts a wrong code; after five wrong codes, even parallel ones, no code is right. */
  judge: () => Promise<boolean>;
}

export const invalidCode = () => new AppError("INVALID_CODE");

/** Opens the state of a code. Throws INVALID_CODE when the code has expired or the state was not made here. */
export async function readCode(deps: Deps, { state, code }: EnteredCode): Promise<AskedCode> {
  const opened = await openState(deps, state);
  if (!opened || isExpired(opened.mailId, deps.now())) throw invalidCode();
  const { mailId, email, isMailed } = opened;
  return {
    mailId,
    email,
    judge: async () => {
      const isRight = (await isMailCode(deps.keys, mailId, code)) && isMailed;
      return (await countGuess(deps, mailId, isRight)) && isRight;
    },
  };
}
