/**
 * The subscribers of the tests, as a real Worker. The first path segment chooses the behaviour (`/200`, `/500`, `/fail-2`,
 * `/after-429-30`, `/flood-5-2`, `/gone-2`, `/abort`, `/redirect`, `/hang`, `/bodyhang`, `/slow-300`, `/big`, `/binary`, `/echo`), the second
 * names an inbox. `GET http://inbox/<name>` returns what an inbox received.
 */
import { DurableObject } from "cloudflare:workers";

export class Inbox extends DurableObject {
  async add(delivery) {
    const received = await this.list();
    received.push(delivery);
    await this.ctx.storage.put("received", received);
    return received.length;
  }
  async list() {
    return (await this.ctx.storage.get("received")) ?? [];
  }
}

/** Returns a body of which only the first part arrives. */
function neverEnding() {
  let parts = 0;
  return new ReadableStream({
    async pull(controller) {
      if (parts++ > 0) await scheduler.wait(60_000);
      controller.enqueue(new TextEncoder().encode(parts === 1 ? "first part" : "too late"));
    },
  });
}

/** How a flood of requests went, by inbox: the bodies would be too many for an object. */
const floods = new Map();

/** Answers 429 with Retry-After to the first `refused` requests and 200 to the later ones, each after a while, and counts them. */
async function flood(name, refused, retryAfter) {
  const counts = floods.get(name) ?? { requests: 0, inFlight: 0, refusedAt: null, mostInFlight: 0 };
  floods.set(name, counts);
  const request = ++counts.requests;
  counts.inFlight += 1;
  if (counts.refusedAt !== null) counts.mostInFlight = Math.max(counts.mostInFlight, counts.inFlight);
  await scheduler.wait(20);
  counts.inFlight -= 1;
  if (request > refused) return new Response("done");
  counts.refusedAt ??= Date.now();
  return new Response("too many", { status: 429, headers: { "Retry-After": retryAfter } });
}

export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const inboxOf = (name) => env.INBOX.get(env.INBOX.idFromName(name));
    if (url.hostname === "inbox") return Response.json(await inboxOf(url.pathname.slice(1)).list());

    if (url.hostname === "floods") return Response.json(floods.get(url.pathname.slice(1)) ?? null);

    const [, behaviour, name] = url.pathname.split("/");
    const [kind, argument, second] = behaviour.split("-");
    if (kind === "flood") {
      await request.text();
      return flood(name, Number(argument), second);
    }
    const count = await inboxOf(name).add({
      url: request.url,
      method: request.method,
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
      at: Date.now(),
    });
    switch (kind) {
      case "echo":
        return Response.json(Object.fromEntries(request.headers));
      case "fail":
        return new Response("later", { status: count <= Number(argument) ? 500 : 200 });
      case "after":
        return new Response("busy", { status: Number(argument), headers: { "Retry-After": second } });
      case "gone":
        return new Response("gone", { status: count <= Number(argument) ? 410 : 200 });
      case "abort":
        return new Response("no more", { status: 500, headers: { "webhook-delivery": "abort" } });
      case "redirect":
        return Response.redirect(`http://elsewhere.example/200/${name}-redirected`, 302);
      case "hang":
        await scheduler.wait(60_000);
        return new Response("too late");
      case "slow":
        await scheduler.wait(Number(argument));
        return new Response("slow");
      case "bodyhang":
        return new Response(neverEnding(), { status: Number(argument ?? 200) });
      case "binary":
        return new Response(new Uint8Array([0x6f, 0x6b, 0xff, 0xfe, 0x00, 0x21]));
      case "zeros":
        return new Response(new Uint8Array(16_384));
      case "big":
        return new Response("x".repeat(100_000));
      default:
        return new Response(kind === "204" ? null : `answer ${kind}`, { status: Number(kind) });
    }
  },
};
