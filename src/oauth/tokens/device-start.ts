/** A device asks for a sign-in (RFC 8628 section 3.1). Nothing of it is in D1, so a flood of them holds no rows. */
import type { Deps } from "../../base/deps";
import { unavailable } from "../../base/errors";
import { refuseOverLimit } from "../../base/limits/limiter";
import { ACCOUNT_PATH } from "../../base/paths";
import { withKnownResources } from "../authorization/known-resources";
import { readRequest } from "../authorization/request";
import { builtInClient } from "../clients/built-in";
import { makeDeviceCode, newRequestId, newUserCode, shownUserCode } from "../devices/device";
import { type DeviceAsk, INTERVAL_SECONDS } from "../devices/durable-object";
import { beginDevice } from "../devices/requests";
import { type ClientRequest, requireProvenFor, withProof } from "./client-check";
import { isConfidential } from "./store";

const LIFETIME_SECONDS = 600;
/** What a device may ask for. */
const PARAMETERS = ["scope", "resource", "acr_values", "tenant", "login_hint"];
/** With ten thousand codes in use, one in two million is taken. */
const MAX_TRIES = 3;

/** Throws OAuthError, RATE_LIMITED, and SERVICE_UNAVAILABLE while too many devices ask. */
export const startDevice = (deps: Deps, request: ClientRequest) =>
  withProof(deps, request, async (proof) => {
    refuseOverLimit(await deps.limiter.consume("deviceStart", `${proof.clientId} ${request.clientIp}`, 1));
    const builtIn = isConfidential(proof) ? null : await builtInClient(deps, proof.clientId);
    const named = request.form.getAll("resource");
    const { client, known } = builtIn
      ? await withKnownResources(deps, builtIn, named)
      : await requireProvenFor(deps, proof, named);
    const params = new URLSearchParams([...request.form].filter(([name]) => PARAMETERS.includes(name)));
    params.set("client_id", client.id);
    const { kind, location, ipAddress } = request.device();
    const expiresAt = deps.now() + LIFETIME_SECONDS * 1000;
    const device = { id: newRequestId(), kind, place: location ?? ipAddress ?? "?", expiresAt };
    readRequest(params, client, "", { at: deps.now(), device: { ...device, userCode: "" } }, known);
    const verdict = await deps.limiter.consume("devices", "all", 1);
    if (verdict?.allowed === false) throw tooMany();
    const ask = await begin(deps, { ...device, clientId: client.id, params: params.toString() });
    const verificationUri = `${deps.config.tokenIssuer}${ACCOUNT_PATH}/device`;
    const userCode = shownUserCode(ask.userCode);
    return {
      device_code: await makeDeviceCode(deps.keys, ask),
      user_code: userCode,
      verification_uri: verificationUri,
      verification_uri_complete: `${verificationUri}?user_code=${userCode}`,
      expires_in: LIFETIME_SECONDS,
      interval: INTERVAL_SECONDS,
    };
  });

/** Gives the request a code that no other device has. */
async function begin(deps: Deps, given: Omit<DeviceAsk, "userCode">): Promise<DeviceAsk> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const ask = { ...given, userCode: newUserCode() };
    if (await beginDevice(deps, ask)) return ask;
  }
  throw tooMany();
}

const tooMany = () => unavailable({ message: "Too many devices ask. Try again later." });
