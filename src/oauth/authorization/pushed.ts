/**
 * Requests that apps have pushed before they send somebody (RFC 9126). A request is sealed into its name, so that none
 * is stored, however many are pushed.
 */
import type { Deps } from "../../base/deps";
import { AppError } from "../../base/errors";
import { type KeptRequest, keptRequest } from "./authorize";
import type { AppRequest } from "./request";
import { seal, unseal } from "./sealed";

const PREFIX = "urn:ietf:params:oauth:request_uri:";

interface PushedRequest extends KeptRequest {
  clientId: string;
  expiresAt: number;
}

/** The name of a request, which works until `expiresAt` (Unix ms). */
export async function sealPushed(
  deps: Deps,
  asked: AppRequest,
  { clientId, expiresAt }: { clientId: string; expiresAt: number },
): Promise<string> {
  const pushed: PushedRequest = { ...keptRequest(asked), clientId, expiresAt };
  return PREFIX + (await seal(deps, "pushed", pushed));
}

/**
 * The request that an address names, in place of what else is in the address; undefined if it names none of ours.
 * Throws VALIDATION_FAILED, for our own page: where the app is reached, only the pushed request says.
 */
export async function openPushed(deps: Deps, params: URLSearchParams): Promise<AppRequest | undefined> {
  const name = params.get("request_uri");
  if (!name?.startsWith(PREFIX)) return undefined;
  const pushed = await unseal<PushedRequest>(deps, "pushed", name.slice(PREFIX.length));
  if (!pushed || pushed.clientId !== params.get("client_id")) {
    throw new AppError("VALIDATION_FAILED", { message: "This took too long. Go back to the app and sign in again." });
  }
  const { clientId: _, expiresAt: _e, params: text, ...rest } = pushed;
  return { ...rest, params: new URLSearchParams(text) };
}
