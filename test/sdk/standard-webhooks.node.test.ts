/**
 * Our signatures and those of the official Standard Webhooks libraries are accepted by the other side, also during a
 * rotation. Those for JavaScript are dependencies, Svix's own one too. The library of another language is used where it
 * has been fetched: `pip install standardwebhooks`, and `go mod download` and `cargo fetch` of the versions below.
 * These versions verify `v1` only, so they must ignore the `v1a` signature.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Webhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { afterAll, describe, expect, test } from "vitest";
import { newKeyPair, publicKeyText } from "../../src/base/crypto/ed25519";
import { verifyDelivery } from "../../src/sdk/verify";
import { headersOf } from "../../src/webhooks/delivery/send";

const MODULE = "github.com/standard-webhooks/standard-webhooks/libraries";
const MODULE_VERSION = "v0.0.1";
const CRATE_VERSION = "1.0.1";

const folder = mkdtempSync(join(tmpdir(), "postern-official-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a program. Returns what it prints, or undefined when it fails. */
function run(program: string, args: string[], cwd = folder, env = {}): string | undefined {
  const { status, stdout } = spawnSync(program, args, { cwd, encoding: "utf8", env: { ...process.env, ...env } });
  return status === 0 ? stdout.trim() : undefined;
}

/**
 * Verifies a delivery with the library and signs `{}` as `msg_2` with the same secret. Returns undefined when it
 * refuses.
 */
type Library = (given: Given) => string | undefined;

interface Given {
  timestamp: string;
  signature: string;
  secret: string;
  body: string;
}

/** Calls a program with the arguments that every program below takes: timestamp, signature, secret, body. */
const programOf =
  (program: string, ...args: string[]): Library =>
  ({ timestamp, signature, secret, body }) =>
    run(program, [...args, timestamp, signature, secret, body]);

const inProcess =
  (open: (secret: string) => Pick<Webhook, "verify" | "sign">, prefix = "webhook"): Library =>
  ({ timestamp, signature, secret, body }) => {
    const headers = { id: "msg_1", timestamp, signature };
    const named = Object.entries(headers).map(([name, value]) => [`${prefix}-${name}`, value]);
    try {
      open(secret).verify(body, Object.fromEntries(named));
      return open(secret).sign("msg_2", new Date(Number(timestamp) * 1000), "{}");
    } catch {
      return undefined;
    }
  };

const javascript = inProcess((secret) => new Webhook(secret));
/** With the names of headers that its products use, which the provider `standard` of sources reads too. */
const svix = inProcess((secret) => new SvixWebhook(secret), "svix");

const PYTHON = `
import sys
from datetime import datetime, timezone
from standardwebhooks import Webhook
_, timestamp, signature, secret, body = sys.argv
Webhook(secret).verify(body, {"webhook-id": "msg_1", "webhook-timestamp": timestamp, "webhook-signature": signature})
print(Webhook(secret).sign("msg_2", datetime.fromtimestamp(int(timestamp), timezone.utc), "{}"))
`;

function python(): Library | undefined {
  return run("python3", ["-c", "import standardwebhooks"]) === undefined
    ? undefined
    : programOf("python3", "-c", PYTHON);
}

const GO = `package main

import ("fmt"; "net/http"; "os"; "strconv"; "time"; webhooks "${MODULE}/go")

func main() {
	timestamp, signature, secret, body := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	webhook, err := webhooks.NewWebhook(secret)
	if err != nil { panic(err) }
	headers := http.Header{}
	headers.Set("webhook-id", "msg_1")
	headers.Set("webhook-timestamp", timestamp)
	headers.Set("webhook-signature", signature)
	if err := webhook.Verify([]byte(body), headers); err != nil { os.Exit(1) }
	seconds, _ := strconv.ParseInt(timestamp, 10, 64)
	signed, _ := webhook.Sign("msg_2", time.Unix(seconds, 0), []byte("{}"))
	fmt.Println(signed)
}
`;

function go(): Library | undefined {
  const project = join(folder, "go");
  mkdirSync(project);
  writeFileSync(join(project, "go.mod"), `module official\n\ngo 1.21\n\nrequire ${MODULE} ${MODULE_VERSION}\n`);
  writeFileSync(join(project, "main.go"), GO);
  const offline = { GOPROXY: "off", GOSUMDB: "off", GOFLAGS: "-mod=mod" };
  return run("go", ["build", "-o", "official", "."], project, offline) === undefined
    ? undefined
    : programOf(join(project, "official"));
}

const RUST = `fn main() {
    let args: Vec<String> = std::env::args().collect();
    let webhook = standardwebhooks::Webhook::new(&args[3]).unwrap();
    let mut headers = http::HeaderMap::new();
    headers.insert("webhook-id", "msg_1".parse().unwrap());
    headers.insert("webhook-timestamp", args[1].parse().unwrap());
    headers.insert("webhook-signature", args[2].parse().unwrap());
    webhook.verify(args[4].as_bytes(), &headers).unwrap();
    println!("{}", webhook.sign("msg_2", args[1].parse().unwrap(), b"{}").unwrap());
}
`;

function rust(): Library | undefined {
  const project = join(folder, "rust");
  mkdirSync(join(project, "src"), { recursive: true });
  const dependencies = `[dependencies]\nstandardwebhooks = "=${CRATE_VERSION}"\nhttp = "1"\n`;
  writeFileSync(join(project, "Cargo.toml"), `[package]\nname = "official"\nedition = "2021"\n\n${dependencies}`);
  writeFileSync(join(project, "src/main.rs"), RUST);
  const target = resolve("node_modules/.cache/standard-webhooks");
  return run("cargo", ["build", "--offline", "--quiet"], project, { CARGO_TARGET_DIR: target }) === undefined
    ? undefined
    : programOf(join(target, "debug/official"));
}

const libraries = { JavaScript: javascript, "JavaScript by Svix": svix, Python: python(), Go: go(), Rust: rust() };

describe.each(Object.entries(libraries))("the official library for %s", (language, library) => {
  const secrets = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_b25jZSB1cG9uIGEgdGltZSwgYSBrZXkgbGl2ZWQ="] as const;
  const body = '{"order":42,"note":"naïve ✓"}';

  test.skipIf(!library)(`(needs the library for ${language}) agrees with both secrets of a rotation`, async () => {
    const nowMs = Date.now();
    const { privateKey, publicKey } = await newKeyPair();
    const keys = { secret: secrets[0], formerSecrets: [secrets[1]], privateKeys: [privateKey] };
    const contentType = "application/json";
    const delivery = {
      deliveryId: "msg_1",
      eventType: "OrderPaid",
      body,
      keys,
      contentType,
      correlationId: null,
      replayId: null,
    };
    const sent = await headersOf(delivery, nowMs);
    const { "webhook-timestamp": timestamp = "", "webhook-signature": signature = "" } = sent;
    expect(signature).toMatch(/^v1,\S+ v1,\S+ v1a,\S+$/);
    for (const secret of secrets) {
      const signed = library?.({ timestamp, signature, secret, body });
      const headers = { ...sent, "webhook-id": "msg_2", "webhook-signature": signed };
      expect(await verifyDelivery({ headers, body: "{}" }, [...secrets].reverse())).toMatchObject({ id: "msg_2" });
      const refused = verifyDelivery({ headers, body: "{}" }, publicKeyText(publicKey));
      await expect(refused).rejects.toThrow("None of the keys");
      expect(library?.({ timestamp, signature, secret, body: body.replace("42", "43") })).toBeUndefined();
    }
    expect(
      library?.({ timestamp, signature, secret: `whsec_${btoa("another key, of 24 bytes")}`, body }),
    ).toBeUndefined();
  });
});
