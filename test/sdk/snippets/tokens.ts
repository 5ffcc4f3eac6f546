/** The verifiers of src/docs/pages/verify-tokens, each run where its interpreter is present. */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const SNIPPETS = "src/docs/pages/verify-tokens";
const folder = mkdtempSync(join(tmpdir(), "postern-tokens-"));

const ISSUER = "https://postern.example.com";
const NOW = Math.floor(Date.now() / 1000);

interface Language {
  file: string;
  /** A command that ends with 0 where the language can be run. */
  present: string[];
  prepare?: () => void;
  /**
   * Reads lines of token, key set, list and time, separated by tabs, and answers each with a line: whether the token is
   * accepted, "true" or "false".
   */
  command: string[];
}

const PYTHON = `
import json, sys; sys.path.insert(0, "${SNIPPETS}"); sys.dont_write_bytecode = True
from verify_token import read_revoked, verify
for line in sys.stdin:
    token, jwks, revoked, now = line.rstrip("\\n").split("\\t")
    keys = json.loads(jwks)
    try:
        listed = read_revoked(revoked, keys, "${ISSUER}", "postern")
        verify(token, keys, listed, "${ISSUER}", "postern", int(now))
        print("true")
    except ValueError:
        print("false")
`;

const GO = `package main

import ("bufio"; "encoding/json"; "fmt"; "os"; "strconv"; "strings"; "time"; "tokens/postern")

func accepts(token, jwks, list string, now int64) bool {
	var keys postern.KeySet
	if json.Unmarshal([]byte(jwks), &keys) != nil { os.Exit(2) }
	revoked, err := postern.ReadRevoked(list, keys, "${ISSUER}", "postern")
	if err != nil { return false }
	claims, err := postern.Verify(token, keys, revoked, "${ISSUER}", "postern", time.Unix(now, 0))
	return err == nil && claims.Role == "developer"
}

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fields := strings.Split(lines.Text(), "\\t")
		now, _ := strconv.ParseInt(fields[3], 10, 64)
		fmt.Println(accepts(fields[0], fields[1], fields[2], now))
	}
}
`;

const JAVA = `public class Main {
  static boolean accepts(String token, String keys, String list, long now) {
    try {
      var revoked = VerifyToken.readRevoked(list, keys, "${ISSUER}", "postern");
      VerifyToken.verify(token, keys, revoked, "${ISSUER}", "postern", now);
      return true;
    } catch (java.security.GeneralSecurityException refused) {
      return false;
    }
  }

  public static void main(String[] args) {
    for (var lines = new java.util.Scanner(System.in); lines.hasNextLine(); ) {
      var fields = lines.nextLine().split("\\t", -1);
      System.out.println(accepts(fields[0], fields[1], fields[2], Long.parseLong(fields[3])));
    }
  }
}
`;

function run(program: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(program, args, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

/** Compiling the standard library unoptimized takes a fifth less. */
const GO_BUILD = ["-gcflags=all=-N -l", "-ldflags=-s -w"];

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
      run("go", "build", ...GO_BUILD, "-o", "verify", ".");
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

interface Case {
  token: string;
  list: string;
  now?: number;
}

/** Whether each token is accepted. One start of the program answers for all, because starting takes longest. */
function verdictsOf({ command }: Language, cases: readonly Case[]): boolean[] {
  const keys = JSON.stringify({ keys: [edwards.jwk, curve.jwk] });
  const input = cases.map(({ token, list, now = NOW }) => `${token}\t${keys}\t${list}\t${now}\n`).join("");
  const [program = "", ...args] = command;
  const { status, stdout, stderr, error } = spawnSync(program, args, { input, encoding: "utf8" });
  if (error || status !== 0) throw new Error(`${status} ${stderr}`, { cause: error });
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as boolean);
}

const isPresent = ({ present: [program = "", ...args] }: Language) => spawnSync(program, args).status === 0;

/** Expects that the program accepts good tokens and no others. */
async function tellsTokensApart(language: Language): Promise<void> {
  language.prepare?.();
  const none = await listOf([]);
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
    await tokenOf({ role: undefined, second_factor_due: true }),
    none,
  ];
  const prefixes = await Promise.all(["s:session:tenant", "u:user", "m:tenant:user", "t:tenant"].map(prefixOf));
  const before = (seconds: number) => (prefix: string) => listOf([[prefix, NOW - seconds]]);
  const elsewhere: [string, number] = ["AAAAAAAAAAAA", NOW];
  const accepted: Case[] = [
    { token: await tokenOf({}, edwards), list: none },
    { token: good, list: none },
    ...(await Promise.all(prefixes.map(before(61)))).map((list) => ({ token: good, list })),
  ];
  const refused: Case[] = [
    ...bad.map((token) => ({ token, list: none })),
    ...[845, -70].map((seconds) => ({ token: good, list: none, now: NOW + seconds })),
    ...(await Promise.all(prefixes.map((prefix) => listOf([elsewhere, [prefix, NOW - 60]])))).map((list) => ({
      token: good,
      list,
    })),
    { token: good, list: await listOf([["*", NOW]]) },
    { token: good, list: await listOf([], {}, foreign) },
    { token: good, list: await listOf([], { aud: "other" }) },
  ];
  const cases = [...accepted, ...refused];
  const answered = verdictsOf(language, cases).map((verdict, index) => ({ ...cases[index], verdict }));
  expect(answered).toEqual(cases.map((one, index) => ({ ...one, verdict: index < accepted.length })));
}

export function tokens(): void {
  beforeAll(async () => {
    [edwards, curve, foreign] = await Promise.all([newKey("EdDSA"), newKey("ES256"), newKey("ES256")]);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  describe.each(languages)("$file", (language) => {
    test.skipIf(!isPresent(language))(`(needs ${language.present.join(" ")}) tells good tokens from others`, () =>
      tellsTokensApart(language),
    );
  });

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
}
