/** `npm run demo [-- --port N]`: the service with people, subscribers and events, all made through the public API. Nothing is kept. */
import { parseArgs } from "node:util";
import { invitePeople, PASSWORD, PEOPLE } from "./demo/people.ts";
import { type Service, startService } from "./demo/service.ts";
import { printAttempts, publishSteadily } from "./demo/stream.ts";
import { openSubscribers, type Subscriber } from "./demo/subscribers.ts";
import { onStop } from "./on-stop.ts";

const { values } = parseArgs({ options: { port: { type: "string" } } });

const stop = new AbortController();
onStop(() => stop.abort());

console.log("Starting the service, inviting people and subscribing receivers ...");
const { subscribers, close } = await openSubscribers();
let service: Service | undefined;
let failure: unknown = new Error("The service has stopped by itself.");
try {
  service = await startService(values.port === undefined ? undefined : Number(values.port), stop.signal);
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
process.exit(asked ? 0 : 1);

async function fill(service: Service): Promise<void> {
  const token = await invitePeople(service);
  const ids = new Map<string, string>();
  for (const { name, url, secret, events, delivery } of subscribers) {
    const { _id = "" } = await service.call("POST", "/webhooks", { name, url, secret, events, delivery }, token);
    ids.set(_id, name);
  }
  const key = { name: "demo shop", scopes: ["event.publish"] };
  const { key: apiKey = "" } = await service.call("POST", "/api-keys", key, token);
  const console_ = (await fetch(`${service.url}/console`)).ok;
  console.log(guide(service, subscribers, console_ ? `${service.url}/console` : null));
  printAttempts(service, ids);
  publishSteadily(service, apiKey, stop.signal);
}

function guide({ url, logPath }: Service, subscribers: readonly Subscriber[], consoleUrl: string | null): string {
  const row = (...cells: [string, string, string]) => `  ${cells[0].padEnd(11)} ${cells[1].padEnd(26)} ${cells[2]}`;
  return `
Postern, live

  Docs        ${url}/docs${consoleUrl ? `\n  Console     ${consoleUrl}` : ""}
  API         ${url}/api/v1
  Log         ${logPath}

People: everyone's password is "${PASSWORD}"
${PEOPLE.map(({ role, email, may }) => row(role, email, may)).join("\n")}

Subscribers: an event is published every two seconds
${subscribers.map(({ name, events, does }) => row(name, events.join(" "), does)).join("\n")}

Try
  API=${url}/api/v1
  data() { node -pe "const { data } = JSON.parse(require('fs').readFileSync(0)); data$1"; }
  TOKEN=$(curl -s $API/auth/login -H 'content-type: application/json' \\
    -d '{"email":"operator@demo.example","password":"${PASSWORD}"}' | data .accessToken)
  as() { curl -s "$@" -H "authorization: Bearer $TOKEN"; }
  as $API/webhooks | data '.map(({ name, failureCount }) => [name, failureCount])'
  HOOK=$(as $API/webhooks | data '.find(({ name }) => name === "failing")._id')
  as $API/webhooks/$HOOK/logs | data '[0]'     # its latest attempt
  as -X POST $API/webhooks/$HOOK/pause         # its failures below stop
  grep '"correlationId":"demo-1"' ${logPath}   # one event, from publisher to subscribers

Ctrl-C stops everything and removes its data. Below, every attempt as it ends:
`;
}
