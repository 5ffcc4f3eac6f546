/** A refusal of tokens, as the log has it. */
import { log } from "../../base/log/log";
import type { OAuthError } from "../errors";

export function refused(clientId: string, error: OAuthError): OAuthError {
  log("info", "token refused", { clientId, reason: error.code });
  return error;
}
