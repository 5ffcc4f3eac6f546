/** What `npm run demo` prints first: where to go, and what to click there. */
import { type Connections, SOURCE_SECRET } from "./connections.ts";
import { OPERATOR, PASSWORD, PEOPLE } from "./people.ts";
import { CUSTOMER } from "./platform.ts";
import type { Service } from "./service.ts";
import type { Subscriber } from "./subscribers.ts";

interface Tour {
  service: Service;
  subscribers: readonly Subscriber[];
  /** Of the operator, for an authenticator app. */
  totpSecret: string;
  metricsToken: string;
  /** The sign-in provider, as the console calls it. */
  provider: string;
  /** The key of the product's own backend. */
  platformKey: string;
  connections: Connections;
}

/** The places in the console that have something to see, by the words on their links and buttons. */
const CLICKS: readonly (readonly [place: string, what: string])[] = [
  ["Overview", "attempts per hour, and what needs attention"],
  ["Subscriptions > failing", "when its next attempt comes, and how many are left; Now makes it at once"],
  ["Subscriptions > closed", "why it fails; Send failed again"],
  ["Subscriptions > gone", "disabled after a minute; Enable and send what it held"],
  ["Subscriptions > held", "what it holds while it is paused; Resume"],
  ["Subscriptions > limited", "how many deliveries wait for their starts"],
  ["Subscriptions > newcomer", "Replay: the progress of its replay; start another"],
  ["Subscriptions > gateway", "Edit: own headers, format, signatures; Security: keys, and rotating them"],
  ["Subscriptions > notices", "a payload for each thing that happened to the others"],
  ["Events > any event", "which subscriptions got it, and why others did not"],
  ["Sources > Repository", "its URL, refused calls, and a field to try a sample; call it as below"],
  ["Feeds > Ledger", "its consumers and how many events wait for them; replace its token"],
  ["API keys", "the shop's key belongs to the tenant: it works on when people leave"],
  ["Activity", "who did what, from where; filters and CSV"],
  ["People", "roles and invitations"],
  ["My security", "passkeys, two-factor authentication, sessions; export or delete the account"],
  ["Demo Shop, at the bottom", "export, leave or delete the tenant"],
];

const rowsOf = (rows: readonly (readonly string[])[], ...widths: number[]) =>
  rows.map((cells) => `  ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(" ")}`).join("\n");

export function guide({ service: { url, logPath }, subscribers, totpSecret, metricsToken, ...more }: Tour): string {
  const { provider, platformKey, connections } = more;
  const { sourceUrl, feedId, feedToken } = connections;
  const people = PEOPLE.map(({ role, email, may }) => [role, email, may]);
  return `
Postern, live

  Open        ${url}/console
  Sign in     ${PEOPLE[0].email}, password "${PASSWORD}"
  Docs        ${url}/docs
  API         ${url}/api/v1
  Log         ${logPath}

Click
${rowsOf(CLICKS, 25)}

Click Sign out, and sign in another way
  Mail me a code instead    its path is printed below
  Continue with ...         ${provider}, a provider on this machine: type any address
  ${OPERATOR}        the section Operator, with Platform keys; key for an authenticator app: ${totpSecret}

People: everyone's password is the same
${rowsOf(people, 11, 26)}

Subscribers: an event is published every two seconds
${rowsOf(
  subscribers.map(({ name, events, does }) => [name, events.join(" "), does]),
  11,
  26,
)}

Try
  API=${url}/api/v1
  data() { node -pe "const { data } = JSON.parse(require('fs').readFileSync(0)); data$1"; }
  TOKEN=$(curl -s $API/auth/login -H 'content-type: application/json' \\
    -d '{"email":"operator@demo.example","password":"${PASSWORD}"}' | data .accessToken)
  as() { curl -s "$@" -H "authorization: Bearer $TOKEN"; }
  as $API/webhooks | data '.map(({ name, failureCount }) => [name, failureCount])'
  HOOK=$(as $API/webhooks | data '.find(({ name }) => name === "failing")._id')
  as "$API/webhooks/$HOOK/logs?status=failed" | data '[0]' # its latest failed attempt
  as -X POST $API/webhooks/$HOOK/pause         # its failures below stop
  grep '"correlationId":"demo-1"' ${logPath}   # one event, from publisher to subscribers
  PRODUCT=${platformKey}   # the platform key of your backend
  product() { curl -s "$@" -H "authorization: Bearer $PRODUCT" -H 'content-type: application/json'; }
  product $API/platform/tenants -d '{"name":"Tea House","externalId":"tea-house"}' | data # "platform" below hears of it
  product $API/events -H 'postern-tenant: ext:${CUSTOMER}' -d '{"type":"OrderPaid","payload":{"order":7}}' | data
  BODY='{"action":"opened"}'   # as GitHub would send it: "listener" below hears of it
  SIGNED=$(printf %s "$BODY" | openssl dgst -sha256 -hmac '${SOURCE_SECRET}' | sed 's/.* //')
  curl -s ${sourceUrl} -H 'content-type: application/json' -H 'x-github-event: issues' \\
    -H "x-hub-signature-256: sha256=$SIGNED" -d "$BODY"
  READ="$API/feeds/${feedId}/events?consumer=you&from=oldest&limit=2"
  curl -s "$READ" -H 'x-api-key: ${feedToken}' | data '.map(({ type, payload }) => [type, payload])' # a feed
  curl -s ${url}/metrics -H 'authorization: Bearer ${metricsToken}' | grep -v '#'

Ctrl-C stops everything and removes its data. Below, every attempt as it ends:
`;
}
