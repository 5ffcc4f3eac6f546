/** The verifiers of src/docs/pages/verify-tokens, each run where its interpreter is present. */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const SNIPPETS = "src/docs/pages/verify-tokens";
const folder = mkdtempSync(join(tmpdir(), "postern-tokens-"));
afterAll(() => rmSync(folder, { recursive: true }));

const ISSUER = "https://postern.example.com";
const NOW = Math.floor(Date.now() / 1000);

interface Language {
  file: string;
  /** A command that ends with 0 where the language can be run. */
  present: string[];
  prepare?: () => void;
  /** Gets token, key set, list and the time; ends with 0 when the token is accepted, and with 1 when it is refused. */
  command: string[];
}

const PYTHON = `
import json, sys; sys.path.insert(0, "${SNIPPETS}"); sys.dont_write_bytecode = True
from verify_token import read_revoked, verify
_, token, jwks, revoked, now = sys.argv
try:
    keys = json.loads(jwks)
    listed = read_revoked(revoked, keys, "${ISSUER}", "postern")
    verify(token, keys, listed, "${ISSUER}", "postern", int(now))
except ValueError:
    sys.exit(1)
`;

const GO = `package main

import ("encoding/json"; "os"; "strconv"; "time"; "tokens/postern")

func main() {
	var keys postern.KeySet
	if json.Unmarshal([]byte(os.Args[2]), &keys) != nil { os.Exit(2) }
	now, _ := strconv.ParseInt(os.Args[4], 10, 64)
	revoked, err := postern.ReadRevoked(os.Args[3], keys, "${ISSUER}", "postern")
	if err != nil { os.Exit(1) }
	claims, err := postern.Verify(os.Args[1], keys, revoked, "${ISSUER}", "postern", time.Unix(now, 0))
	if err != nil || claims.Role != "developer" { os.Exit(1) }
}
`;

const JAVA = `public class Main {
  public static void main(String[] args) {
    try {
      var revoked = VerifyToken.readRevoked(args[2], args[1], "${ISSUER}", "postern");
      VerifyToken.verify(args[0], args[1], revoked, "${ISSUER}", "postern", Long.parseLong(args[3]));
    } catch (java.security.GeneralSecurityException refused) {
      System.exit(1);
    }
  }
}
`;

function run(program: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(program, args, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

const languages: Language[] = [
  {
    file: "verify_token.py",
    present: ["python3", "-c", "import cryptography"],
    command: ["python3", "-c", PYTHON],
  },
  {
    file: "verify_token.go",
    present: ["go", "version"],
    prepare: () => {
      mkdirSync(join(folder, "postern"));
      copyFileSync(join(SNIPPETS, "verify_token.go"), join(folder, "postern/verify_token.go"));
      writeFileSync(join(folder, "go.mod"), "module tokens\n\ngo 1.21\n");
      writeFileSync(join(folder, "main.go"), GO);
      run("go", "build", "-o", "verify", ".");
    },
    command: [join(folder, "verify")],
  },
  {
    file: "VerifyToken.java",
    present: ["javac", "--version"],
    prepare: () => {
      copyFileSync(join(SNIPPETS, "VerifyToken.java"), join(folder, "VerifyToken.java"));
      writeFileSync(join(folder, "Main.java"), JAVA);
      run("javac", "-d", "classes", "VerifyToken.java", "Main.java");
    },
    command: ["java", "-cp", join(folder, "classes"), "Main"],
  },
];

async function newKey(alg: "EdDSA" | "ES256") {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: crypto.randomUUID(), alg, use: "sig" } };
}
type Key = Awaited<ReturnType<typeof newKey>>;
let [edwards, curve, foreign] = [] as unknown as [Key, Key, Key];
beforeAll(async () => {
  [edwards, curve, foreign] = await Promise.all([newKey("EdDSA"), newKey("ES256"), newKey("ES256")]);
});

const sign = (claims: object, typ: string, { privateKey, jwk }: Key, kid: string = jwk.kid) =>
  new SignJWT({ iss: ISSUER, aud: "postern", iat: NOW - 60, ...claims })
    .setProtectedHeader({ alg: jwk.alg, kid, typ })
    .sign(privateKey);
const tokenOf = (changes: object = {}, key = curve, typ = "at+jwt", kid?: string) => {
  const claims = { sub: "user", sid: "session", tid: "tenant", role: "developer", scope: "", exp: NOW + 840 };
  return sign({ ...claims, ...changes }, typ, key, kid);
};
const listOf = (revoked: unknown[], changes: object = {}, key = curve) =>
  sign({ ttl: 900, revoked, ...changes }, "revoked+jwt", key);

async function prefixOf(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return Buffer.from(digest.subarray(0, 9)).toString("base64url");
}

function accepts({ command }: Language, token: string, list: string, now = NOW): boolean {
  const keys = JSON.stringify({ keys: [edwards.jwk, curve.jwk] });
  const [program = "", ...args] = [...command, token, keys, list, String(now)];
  const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8" });
  if (error || (status !== 0 && status !== 1)) throw new Error(`${status} ${stderr}`, { cause: error });
  return status === 0;
}

const isPresent = ({ present: [program = "", ...args] }: Language) => spawnSync(program, args).status === 0;

describe.each(languages)("$file", (language) => {
  test.skipIf(!isPresent(language))(`(needs ${language.present.join(" ")}) tells good tokens from others`, async () => {
    language.prepare?.();
    const none = await listOf([]);
    for (const key of [edwards, curve]) expect(accepts(language, await tokenOf({}, key), none)).toBe(true);
    const good = await tokenOf();
    const bad = [
      "",
      `${good}.`,
      `${good.slice(0, -8)}AAAAAAAA`,
      await tokenOf({}, foreign),
      await tokenOf({}, foreign, "at+jwt", curve.jwk.kid),
      await tokenOf({}, curve, "at+jwt", edwards.jwk.kid),
      await tokenOf({}, curve, "JWT"),
      await tokenOf({ iss: "https://other.example" }),
      await tokenOf({ aud: "other" }),
      none,
    ];
    for (const token of bad) expect([token, accepts(language, token, none)]).toEqual([token, false]);
    expect([845, -70].map((seconds) => accepts(language, good, none, NOW + seconds))).toEqual([false, false]);
    for (const text of ["s:session:tenant", "u:user", "m:tenant:user", "t:tenant"]) {
      const prefix = await prefixOf(text);
      expect(
        accepts(
          language,
          good,
          await listOf([
            ["AAAAAAAAAAAA", NOW],
            [prefix, NOW - 60],
          ]),
        ),
      ).toBe(false);
      expect(accepts(language, good, await listOf([[prefix, NOW - 61]]))).toBe(true);
    }
    expect(accepts(language, good, await listOf([["*", NOW]]))).toBe(false);
    expect(accepts(language, good, await listOf([], {}, foreign))).toBe(false);
    expect(accepts(language, good, await listOf([], { aud: "other" }))).toBe(false);
  });
});

test.skip("nginx and PostgREST (need NGINX Plus and PostgREST, which are not here)", () => undefined);

test.each([
  ["node.mjs", "js"],
  ["worker.js", "js"],
  ["verify_token.py", "py"],
  ["verify_token.go", "go"],
  ["VerifyToken.java", "java"],
])("the page shows %s as it is", (file, language) => {
  expect(readFileSync("src/docs/pages/verify-tokens.md", "utf8")).toContain(
    `\`\`\`${language}\n${readFileSync(join(SNIPPETS, file), "utf8")}\`\`\`\n`,
  );
});
