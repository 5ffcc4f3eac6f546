/**
 * `npm run demo [-- --port N]`: the service with people, subscribers and events, all made through the public API.
 * Nothing is kept.
 */
import { parseArgs } from "node:util";
import { CLIENT, type Issuer, startIssuer } from "../test/browser/issuer.ts";
import { addConnections, LISTENER } from "./demo/connections.ts";
import { addOperator, invitePeople, OPERATOR } from "./demo/people.ts";
import { addPlatform, PLATFORM } from "./demo/platform.ts";
import { subscribeAll } from "./demo/scenes.ts";
import { choosePort, type Service, startService } from "./demo/service.ts";
import { printAttempts, printMails, publishSteadily } from "./demo/stream.ts";
import { openSubscribers } from "./demo/subscribers.ts";
import { guide } from "./demo/tour.ts";
import { onStop } from "./on-stop.ts";
import { newSecretKey } from "./secret-key.ts";

const { values } = parseArgs({ options: { port: { type: "string" } } });

const stop = new AbortController();
onStop(() => stop.abort());

console.log("Starting the service, inviting people and subscribing receivers ...");
const metricsToken = newSecretKey();
const port = values.port === undefined ? await choosePort() : Number(values.port);
const url = `http://localhost:${port}`;
const { subscribers, close } = await openSubscribers();
const issuer = await startIssuer(`${url}/api/v1/auth/oauth/oidc/callback`);
let service: Service | undefined;
let failure: unknown = new Error("The service has stopped by itself.");
try {
  service = await startService(port, settings(issuer), stop.signal);
  await fill(service);
  await service.ended;
} catch (error) {
  failure = error;
}
const asked = stop.signal.aborted;
if (!asked) console.error(failure);
stop.abort();
await service?.ended;
close();
issuer.close();
process.exit(asked ? 0 : 1);

/** The settings of what is off by default: operators, metrics, sign-in with a provider. */
function settings({ url: issuerUrl }: Issuer): Record<string, string> {
  return {
    OPERATORS: OPERATOR,
    METRICS_TOKEN: metricsToken,
    PUBLIC_URL: url,
    OIDC_ISSUER: issuerUrl,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
  };
}

async function fill(service: Service): Promise<void> {
  const token = await invitePeople(service);
  const operator = await addOperator(service);
  const ids = await subscribeAll({ service, token, subscribers }, stop.signal);
  const product = { service, operatorToken: operator.token, ownerToken: token, subscribers };
  const { platformKey, subscriptionId } = await addPlatform(product);
  ids.set(subscriptionId, PLATFORM);
  const connections = await addConnections(service, token, stop.signal);
  ids.set(connections.listenerId, LISTENER);
  const key = { name: "demo shop", scopes: ["event.publish"], owner: "tenant" };
  const { key: apiKey = "" } = await service.call("POST", "/api-keys", key, token);
  const { totpSecret } = operator;
  const provider = new URL(issuer.url).host;
  console.log(guide({ service, subscribers, totpSecret, metricsToken, provider, platformKey, connections }));
  printAttempts(service, ids);
  printMails(service);
  publishSteadily(service, apiKey, stop.signal);
}
