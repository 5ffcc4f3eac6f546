/** `postern login --device`: somebody lets this machine in from another device (RFC 8628). */
import { setTimeout as wait } from "node:timers/promises";
import type { Tokens } from "./account";
import { type Endpoints, post, resourceOf, scopesOf, tokensOf } from "./authorization-server";
import { EXIT, Failure } from "./failure";
import { tell } from "./output";

const GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** Throws Failure if it is refused, or nobody answers in time. */
export async function signInByDevice(url: string, endpoints: Endpoints): Promise<Tokens> {
  const form = { scope: await scopesOf(url), resource: resourceOf(url) };
  const { status, body } = await post(endpoints.device_authorization_endpoint, form);
  if (status !== 200) throw new Failure(EXIT.failed, String(body["error_description"] ?? `It answered ${status}.`));
  const { device_code: code, user_code: shown, verification_uri: page, interval } = body;
  tell(`Open ${page} in any browser and enter the code ${shown}`);
  let seconds = Number(interval ?? 5);
  for (;;) {
    await wait(seconds * 1000);
    const answer = await post(endpoints.token_endpoint, { grant_type: GRANT, device_code: String(code) });
    if (answer.body["error"] === "slow_down") seconds += 5;
    else if (answer.body["error"] !== "authorization_pending") return tokensOf(answer);
  }
}
