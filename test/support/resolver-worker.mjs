/**
 * Both resolvers of the tests, as a real Worker: `dns.one.example` and `dns.two.example` speak DNS over HTTPS.
 * `PUT http://zone/<domain>` says what each sees of the record of a domain: a list of records, each a text or a list of
 * strings, or a fault. `GET` returns how many questions there were.
 */

const zones = new Map();
const PREFIX = "_postern-challenge.";
const SLOWER_THAN_ALLOWED_MS = 4_000;

/** The labels of the question, which follow the header. */
function nameIn(question) {
  const labels = [];
  for (let at = 12; question[at] !== 0; at += question[at] + 1) {
    labels.push(new TextDecoder().decode(question.slice(at + 1, at + 1 + question[at])));
  }
  return labels.join(".");
}

const two = (number) => [number >> 8, number & 255];
const stringsOf = (record) => [record].flat().flatMap((text) => [text.length, ...new TextEncoder().encode(text)]);
/** The name is a pointer to the question, and the record may be kept for a minute. */
const recordOf = (record) => {
  const data = stringsOf(record);
  return [0xc0, 12, ...two(16), ...two(1), 0, 0, 0, 60, ...two(data.length), ...data];
};

function messageTo(question, records, { code = 0, flags = 0, id } = {}) {
  const ownId = id ?? (question[0] << 8) | question[1];
  const header = [ownId, 0x8180 | flags | code, 1, records.length, 0, 0].flatMap(two);
  return Uint8Array.from([...header, ...question.slice(12), ...records.flatMap(recordOf)]);
}

const asMessage = (body, init) =>
  new Response(body, { ...init, headers: { "Content-Type": "application/dns-message" } });

const FAULTS = {
  nothing: (question) => messageTo(question, [], { code: 3 }),
  servfail: (question) => messageTo(question, [], { code: 2 }),
  truncated: (question) => messageTo(question, [], { flags: 0x0200 }),
  "wrong id": (question) => messageTo(question, [], { id: 1 + ((question[0] << 8) | question[1]) }),
  "another question": (question) => messageTo(question.with(13, question[13] ^ 1), []),
  huge: (question) =>
    messageTo(
      question,
      Array.from({ length: 30 }, () => "x".repeat(200)),
    ),
};

export default {
  async fetch(request) {
    const { hostname, pathname } = new URL(request.url);
    const zoneOf = (domain) => zones.get(domain) ?? { asked: 0 };
    if (hostname === "zone") {
      const domain = pathname.slice(1);
      if (request.method === "PUT") zones.set(domain, { ...zoneOf(domain), ...(await request.json()) });
      return Response.json(zoneOf(domain));
    }
    const isAsked = request.method === "POST" && request.headers.get("content-type") === "application/dns-message";
    if (!isAsked) return new Response("", { status: 415 });
    const question = new Uint8Array(await request.arrayBuffer());
    const domain = nameIn(question).slice(PREFIX.length);
    const zone = zoneOf(domain);
    zones.set(domain, { ...zone, asked: zone.asked + 1 });
    const seen = zone[hostname.split(".")[1]] ?? "nothing";
    if (seen === "late") await scheduler.wait(SLOWER_THAN_ALLOWED_MS);
    if (seen === "late" || seen === "html") return new Response("<html>");
    if (seen === "down") return new Response("", { status: 502 });
    return asMessage(typeof seen === "string" ? FAULTS[seen](question) : messageTo(question, seen));
  },
};
