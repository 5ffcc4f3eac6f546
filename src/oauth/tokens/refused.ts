/** A refusal of tokens, as the log has it. */
import { log } from "../../base/log/log";
import type { ClientRow } from "../clients/store";
import type { OAuthError } from "../errors";

export function refused(client: ClientRow, error: OAuthError): OAuthError {
  log("info", "token refused", { clientId: client.id, reason: error.code });
  return error;
}
