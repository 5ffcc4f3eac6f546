/**
 * In `public` mode private and reserved targets and the service's own hosts are refused in every spelling: on create,
 * on change and at delivery.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import worker from "../../src";
import { createDeps } from "../../src/base/deps";
import { refuseTarget } from "../../src/webhooks/delivery/target";
import { type Person, signUp } from "../support/client";
import { addDelivery, messageFor } from "../support/engine";
import { callUnder } from "../support/overrides";
import { endedAttempts, newInbox, subscribe } from "../support/receiver";

const REFUSED = [
  // Loopback in every spelling that the URL parser accepts.
  ...[
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "017700000001",
    "0177.0.0.1",
    "127.0.0.1.",
  ],
  ...["１２７.０.０.１", "127。0。0。1", "①②⑦.0.0.1", "%31%32%37.0.0.1", "127.255.255.254", "0X7F.0.0.1", "00000177.1"],
  // This network, private, CGNAT, link-local with the cloud metadata address.
  ...["0.0.0.0", "0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "0xa000001", "012.1", "172.16.0.1", "172.31.255.255"],
  ...["192.168.0.1", "192.168.257", "3232235777", "100.64.0.1", "100.127.255.255", "169.254.169.254", "0xA9FEA9FE"],
  // IETF protocol assignments, documentation, 6to4 relays, benchmarking, multicast, class E, broadcast.
  ...["192.0.0.8", "192.0.2.1", "198.51.100.1", "203.0.113.255", "192.88.99.1", "198.18.0.1", "198.19.255.255"],
  ...["224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "4294967295"],
  // IPv6: unspecified, loopback, unique local, link-local, site-local, multicast.
  ...[
    "[::]",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[fc00::1]",
    "[fd12:3456::1]",
    "[fe80::1]",
    "[febf::1]",
    "[fec0::1]",
    "[ff02::1]",
  ],
  // IPv4 inside IPv6: mapped, translated, compatible, NAT64 (well-known and local), 6to4, Teredo.
  ...[
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::FFFF:10.0.0.1]",
    "[::ffff:8.8.8.8]",
    "[::ffff:0:127.0.0.1]",
    "[::127.0.0.1]",
  ],
  ...["[64:ff9b::7f00:1]", "[64:ff9b::10.0.0.1]", "[64:ff9b:1::1]", "[2002:7f00:1::]", "[2002:a00:1::1]", "[2001::1]"],
  // Discard-only, ORCHID, benchmarking, documentation.
  ...["[100::1]", "[2001:10::1]", "[2001:20::1]", "[2001:2::1]", "[2001:db8::1]", "[3fff::1]", "[5f00::1]"],
  // Names of this machine or the local network.
  ...[
    "localhost",
    "LOCALHOST",
    "localhost.",
    "a.localhost",
    "ｌocalhost",
    "printer.local",
    "db.internal",
    "metadata.google.internal.",
    "home.arpa",
    "nas.home.arpa",
    "Printer.HOME.arpa.",
    "localdomain",
    "server.localdomain",
    "localhost.localdomain.",
    "nas.lan",
    "router.home",
    "mail.corp",
    "api.default.svc",
    "a.onion",
  ],
  // AS112 and automatic multicast tunnelling: special-purpose, never a subscriber.
  ...["192.175.48.1", "192.31.196.1", "192.52.193.1", "[2620:4f:8000::1]"],
  // Not assigned to anybody.
  ...["[4000::1]", "[1fff::1]", "[c000::1]"],
];

const ALLOWED = [
  ...["example.com", "receiver", "8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1"],
  ...["192.167.255.255", "192.169.0.1", "169.253.0.1", "198.17.0.1", "198.20.0.1", "223.255.255.255", "11.0.0.1"],
  ...["[2606:4700::1111]", "[2a00:1450::1]", "localhost.example.com", "mylocal", "internal.example.com", "localhosts"],
  ...["home.arpa.example.com", "nothome.arpa", "mylocaldomain", "lan.example.com", "mycorp", "svc.example.org"],
];

describe("refuseTarget in public mode", () => {
  test.each(REFUSED)("refuses %s", (host) => {
    for (const url of [`http://${host}/`, `https://${host}:8443/path?query`, ` http:\\\\${host}\\`]) {
      expect([url, refuseTarget(url, "public", [])]).toEqual([url, expect.any(String)]);
    }
  });

  test.each(ALLOWED)("allows %s", (host) => {
    expect(refuseTarget(`https://${host}/hook`, "public", [])).toBeNull();
  });

  test("`any` mode allows private addresses, but no other scheme and no credentials", () => {
    expect(refuseTarget("http://127.0.0.1:9000/", "any", [])).toBeNull();
    for (const url of [
      "ftp://a.example/",
      "file:///etc/passwd",
      "javascript:alert(1)",
      "http://a@b.example/",
      "//a",
      "",
    ]) {
      expect([url, refuseTarget(url, "any", [])]).toEqual([url, expect.any(String)]);
    }
  });
});

describe("the service's own hosts", () => {
  const own = ["app.example.com", "api.example.com:8443"];

  test("are refused in public mode, with any scheme, port and final dots", () => {
    for (const host of ["app.example.com", "APP.example.com.", "app.example.com:8443", "api.example.com"]) {
      for (const url of [`https://${host}/api/v1/events`, `http://${host}/`]) {
        expect([url, refuseTarget(url, "public", own)]).toEqual([url, "Must not point to this service"]);
      }
    }
    for (const host of ["example.com", "www.app.example.com", "app.example.com.example.org"]) {
      expect([host, refuseTarget(`https://${host}/`, "public", own)]).toEqual([host, null]);
    }
  });

  test("are allowed in `any` mode, so that receivers can run on the same machine", () => {
    expect(refuseTarget("http://localhost:9000/hook", "any", ["localhost:8787"])).toBeNull();
  });

  test("include PUBLIC_URL, whichever host a request came to", async () => {
    const split = { ...PUBLIC, PUBLIC_URL: "https://api.example.com" };
    const { ownHosts } = await createDeps(split, createExecutionContext(), "https://own.example.com/console");
    expect(ownHosts).toContain("api.example.com");
    expect(ownHosts).toContain("own.example.com");
  });

  test("do not include APP_URL when it is a client of its own, whose host may receive deliveries", async () => {
    const client = { ...PUBLIC, APP_URL: "https://client.example.com/account", PUBLIC_URL: "" };
    const { ownHosts } = await createDeps(client, createExecutionContext(), "https://own.example.com/api/v1/webhooks");
    expect(ownHosts).toEqual(["own.example.com"]);
  });
});

const PUBLIC = { ...env, WEBHOOK_EGRESS: "public", APP_URL: "https://own.example.com/console" } as const;

/** A request to the Worker as it is set up in production. */
const callPublic = ({ token }: Person, method: string, path: string, body: object) =>
  callUnder(PUBLIC, { method, path: `/api/v1${path}`, body, token });

describe("through the API", () => {
  test("create and change answer 400 and name the field", async () => {
    const person = await signUp();
    const id = await subscribe(person, "https://example.com/");
    for (const host of ["127.1", "[::ffff:10.0.0.1]", "１９２.168.0.1", "db.internal."]) {
      const url = `http://${host}/`;
      const fields = { name: "x", url, events: ["A"], secret: "s" };
      for (const answer of [
        await callPublic(person, "POST", "/webhooks", fields),
        await callPublic(person, "PATCH", `/webhooks/${id}`, { url }),
      ]) {
        expect([host, answer.status, answer.body.code]).toEqual([host, 400, "VALIDATION_FAILED"]);
        expect(answer.body.details).toEqual([
          { path: "url", message: "Must not point to a private or reserved address" },
        ]);
      }
    }
    for (const host of ["postern.test", "own.example.com"]) {
      const answer = await callPublic(person, "PATCH", `/webhooks/${id}`, { url: `https://${host}/api/v1/events` });
      expect([host, answer.body.details]).toEqual([host, [{ path: "url", message: "Must not point to this service" }]]);
    }
    const fine = await callPublic(person, "PATCH", `/webhooks/${id}`, { url: "https://example.org/" });
    expect(fine.body.data.url).toBe("https://example.org/");
  });

  test.each([
    ["10.1.2.3", "Must not point to a private or reserved address"],
    ["own.example.com", "Must not point to this service"],
  ])("the target %s that is already stored is refused at delivery, and nothing is sent", async (host, refusal) => {
    const person = await signUp();
    const inbox = newInbox("200");
    const id = await subscribe(person, inbox.url.replace("receiver.example", host));
    const key = await addDelivery(person, id);
    const context = createExecutionContext();
    const batch = {
      queue: "postern-deliveries",
      messages: [{ id: "m", body: messageFor(key), ack() {}, retry() {} }],
    } as unknown as MessageBatch;
    await worker.queue(batch, PUBLIC, context);
    await waitOnExecutionContext(context);
    const [row] = await endedAttempts(person, id, 1);
    expect(row).toMatchObject({
      status: "failed",
      error: `blocked address: ${refusal}`,
    });
    expect(await inbox.received()).toEqual([]);
  });
});
