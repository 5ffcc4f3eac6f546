/** How a response is refused. */
import { type ReasonFacts, type RefusalReason, SignOnRefused } from "../refused";

export const refused = (reason: RefusalReason, facts: ReasonFacts = {}): SignOnRefused =>
  new SignOnRefused("response", reason, facts);

/** A text of the response in a message: short, in one line. */
export const shown = (text: string | null): string =>
  text === null || text === "" ? "nobody" : text.slice(0, 200).replaceAll(/[\p{Cc}\s]+/gu, " ");
