/** An app pushes what it asks for, before it sends somebody (RFC 9126): it is checked here, and nothing is stored. */
import type { Deps } from "../../base/deps";
import { refuseOverLimit } from "../../base/limits/limiter";
import { withKnownResources } from "../authorization/known-resources";
import { sealPushed } from "../authorization/pushed";
import { type AppRequest, checkParameters, readRequest, requireRedirect } from "../authorization/request";
import { type ClientRow, publicId } from "../clients/store";
import { resolveClient } from "../clients/unlisted/resolve";
import { OAuthError } from "../errors";
import { type ClientRequest, requireProvenFor, type ShownProof, withProof } from "./client-check";
import { keyOfRequest } from "./dpop";
import { isConfidential } from "./store";

const LIFETIME_SECONDS = 90;
/** What proves the client is no part of what it asks for. */
const PROOFS = ["client_secret", "client_assertion", "client_assertion_type"];

/** Throws OAuthError for what the app would be refused at once, VALIDATION_FAILED for what is unfit, RATE_LIMITED. */
export const pushRequest = (deps: Deps, request: ClientRequest) =>
  withProof(deps, request, async (proof) => {
    refuseOverLimit(await deps.limiter.consume("pushRequest", `${proof.clientId} ${request.clientIp}`, 1));
    const named = request.form.getAll("resource");
    const unlisted = await unlistedOf(deps, proof, request);
    const { client, known } = unlisted
      ? await withKnownResources(deps, unlisted, named)
      : await requireProvenFor(deps, proof, named);
    if (request.form.has("request_uri")) throw new OAuthError("invalid_request", "request_uri cannot be pushed.");
    const params = new URLSearchParams([...request.form].filter(([name]) => !PROOFS.includes(name)));
    params.set("client_id", publicId(client));
    checkParameters(params);
    const { redirectUri } = requireRedirect(client, params);
    const jkt = (await keyOfRequest(deps, request)) ?? undefined;
    const asked: AppRequest = { params, at: deps.now(), isPushed: true, jkt };
    readRequest(params, client, redirectUri, asked, known);
    const pushed = { clientId: publicId(client), expiresAt: deps.now() + LIFETIME_SECONDS * 1000 };
    return { request_uri: await sealPushed(deps, asked, pushed), expires_in: LIFETIME_SECONDS };
  });

/** One that shows no key, and that D1 does not have before somebody allows it something; null for any other client. */
async function unlistedOf(deps: Deps, proof: ShownProof, { clientIp }: ClientRequest): Promise<ClientRow | null> {
  if (isConfidential(proof)) return null;
  const named = await resolveClient(deps, proof.longId ?? proof.clientId, clientIp);
  return named?.unlisted?.auth === "none" ? named.unlisted : null;
}
