/** An app pushes what it asks for, before it sends somebody (RFC 9126): it is checked here, and nothing is stored. */
import type { Deps } from "../../base/deps";
import { refuseOverLimit } from "../../base/limits/limiter";
import { readKnownResources } from "../authorization/known-resources";
import { sealPushed } from "../authorization/pushed";
import { type AppRequest, checkParameters, readRequest, requireRedirect } from "../authorization/request";
import { OAuthError } from "../errors";
import { type ClientRequest, requireProven, withProof } from "./client-check";
import { keyOfRequest } from "./dpop";

const LIFETIME_SECONDS = 90;
/** What proves the client is no part of what it asks for. */
const PROOFS = ["client_secret", "client_assertion", "client_assertion_type"];

/** Throws OAuthError for what the app would be refused at once, VALIDATION_FAILED for what is unfit, RATE_LIMITED. */
export const pushRequest = (deps: Deps, request: ClientRequest) =>
  withProof(deps, request, async (proof) => {
    refuseOverLimit(await deps.limiter.consume("pushRequest", `${proof.clientId} ${request.clientIp}`, 1));
    const client = await requireProven(deps, proof);
    if (request.form.has("request_uri")) throw new OAuthError("invalid_request", "request_uri cannot be pushed.");
    const params = new URLSearchParams([...request.form].filter(([name]) => !PROOFS.includes(name)));
    params.set("client_id", client.id);
    checkParameters(params);
    const { redirectUri } = requireRedirect(client, params);
    const jkt = (await keyOfRequest(deps, request)) ?? undefined;
    const asked: AppRequest = { params, at: deps.now(), isPushed: true, jkt };
    readRequest(params, client, redirectUri, asked, await readKnownResources(deps, client, params));
    const named = { clientId: client.id, expiresAt: deps.now() + LIFETIME_SECONDS * 1000 };
    return { request_uri: await sealPushed(deps, asked, named), expires_in: LIFETIME_SECONDS };
  });
