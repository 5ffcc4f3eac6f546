/** `npm run receiver [-- --port N --secret S --fail N]`: prints each delivery and whether its signature is valid. */
import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { Webhook } from "standardwebhooks";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "9000" },
    secret: { type: "string", default: "quickstart-secret" },
    /** How many deliveries to answer with 500 before the first 200. */
    fail: { type: "string", default: "0" },
  },
});
let failuresLeft = Number(values.fail);

const { secret } = values;
const webhook = new Webhook(secret, secret.startsWith("whsec_") ? undefined : { format: "raw" });

/** Whether `webhook-signature` is right, and not older than five minutes. */
function isSigned(body: Buffer, headers: Record<string, string>): boolean {
  try {
    webhook.verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const header = (name: string) => String(request.headers[name] ?? "");
  const status = failuresLeft-- > 0 ? 500 : 200;
  console.log(
    JSON.stringify({
      at: new Date().toISOString(),
      event: header("x-webhook-event"),
      id: header("webhook-id"),
      signature: isSigned(body, request.headers as Record<string, string>) ? "valid" : "INVALID",
      answered: status,
      body: body.toString("utf8"),
    }),
  );
  response.writeHead(status, { "content-type": "text/plain" }).end(status === 200 ? "ok" : "failing as asked");
});

server.listen(Number(values.port), "127.0.0.1", () =>
  console.log(`Receiver on http://127.0.0.1:${values.port}/ checks signatures with the secret "${values.secret}".`),
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(0));
