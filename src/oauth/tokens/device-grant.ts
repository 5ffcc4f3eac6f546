/** A device asks for the answer to its request (RFC 8628 section 3.4). While there is none, no D1 is asked. */
import type { Deps } from "../../base/deps";
import { type Code, readCode } from "../authorization/code";
import { readDeviceCode } from "../devices/device";
import { pollDevice } from "../devices/requests";
import { OAuthError } from "../errors";
import { type ClientRequest, requireProven, type ShownProof } from "./client-check";
import { refused } from "./refused";

const invalidGrant = () => new OAuthError("invalid_grant", "The device code is not for this app.");

/** The code that the person's answer has left for the device. Throws OAuthError while there is none. */
export async function codeOfDevice(deps: Deps, proof: ShownProof, { form }: ClientRequest): Promise<Code | null> {
  const text = form.get("device_code");
  if (text === null) {
    await requireProven(deps, proof);
    throw new OAuthError("invalid_request", "device_code is missing.");
  }
  const named = await readDeviceCode(deps.keys, proof.clientId, text);
  if (!named) throw refused(proof.clientId, invalidGrant());
  const standing = await pollDevice(deps, named);
  if (standing === "pending") throw new OAuthError("authorization_pending", "Nobody has answered yet.");
  if (standing === "too early") throw new OAuthError("slow_down", "Wait five seconds longer between requests.");
  if (standing === "over") {
    throw refused(proof.clientId, new OAuthError("expired_token", "The device code has expired."));
  }
  if (standing["code"] !== undefined) return readCode(deps, standing["code"]);
  throw refused(proof.clientId, new OAuthError("access_denied", "The sign-in was refused."));
}
