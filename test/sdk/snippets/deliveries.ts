/** The verifiers of src/docs/pages/verify in other languages, each run where its interpreter is present. */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { canRun, TOOLS, type VerifierFile } from "../../../.scripts/check/snippets.ts";
import { signStandard } from "../../../src/base/crypto/webhook-signature";

const SNIPPETS = "src/docs/pages/verify";
const folder = mkdtempSync(join(tmpdir(), "postern-verify-"));

interface Given {
  id: string;
  timestamp: string;
  signature: string;
  body: string;
  secret: string;
}

interface Language {
  file: VerifierFile;
  prepare?: () => void;
  /** A command that ends with 0 when the delivery is accepted, and with 1 when it is refused. */
  command: (given: Given, bodyFile: string) => string[];
}

const PYTHON = `
import sys; sys.path.insert(0, sys.argv[1]); sys.dont_write_bytecode = True
from verify import verify
_, _, id, timestamp, signature, secret, path = sys.argv
headers = {"webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature}
sys.exit(0 if verify(open(path, "rb").read(), headers, "another", secret) else 1)
`;

const GO = `package main

import ("os"; "verify/webhook")

func main() {
	headers := map[string]string{
		"webhook-id": os.Args[1], "webhook-timestamp": os.Args[2], "webhook-signature": os.Args[3]}
	body, err := os.ReadFile(os.Args[5])
	if err != nil { os.Exit(2) }
	if webhook.Verify(func(name string) string { return headers[name] }, body, "another", os.Args[4]) != nil { os.Exit(1) }
}
`;

const JAVA = `
import java.nio.file.*;
import java.util.Map;

public class Main {
  public static void main(String[] args) throws Exception {
    Map<String, String> headers = Map.of(
        "webhook-id", args[0], "webhook-timestamp", args[1], "webhook-signature", args[2]);
    byte[] body = Files.readAllBytes(Path.of(args[4]));
    System.exit(Verify.isGenuine(body, headers::get, "another", args[3]) ? 0 : 1);
  }
}
`;

const RUBY = `
load ARGV[0]
_, id, timestamp, signature, secret, path = ARGV
headers = {"webhook-id" => id, "webhook-timestamp" => timestamp, "webhook-signature" => signature}
exit(genuine?(File.binread(path), headers, "another", secret) ? 0 : 1)
`;

const PHP = `
require $argv[1];
[, , $id, $timestamp, $signature, $secret, $path] = $argv;
$headers = ["webhook-id" => $id, "webhook-timestamp" => $timestamp, "webhook-signature" => $signature];
exit(isGenuine(file_get_contents($path), $headers, "another", $secret) ? 0 : 1);
`;

const CSHARP = `
using System.IO;
using System.Collections.Generic;

var headers = new Dictionary<string, string> {
  ["webhook-id"] = args[0], ["webhook-timestamp"] = args[1], ["webhook-signature"] = args[2] };
return Webhook.IsGenuine(File.ReadAllBytes(args[4]), name => headers[name], "another", args[3]) ? 0 : 1;
`;

const CSHARP_PROJECT = `<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType>
<TargetFramework>net8.0</TargetFramework><Nullable>enable</Nullable></PropertyGroup></Project>`;

function built(program: string, args: string[], cwd: string): void {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(stdout + stderr);
}

/** Compiling the standard library unoptimized takes a fifth less. */
const GO_BUILD = ["-gcflags=all=-N -l", "-ldflags=-s -w"];

const languages: Language[] = [
  {
    file: "verify.py",
    command: ({ id, timestamp, signature, secret }, body) => [
      "python3",
      "-c",
      PYTHON,
      SNIPPETS,
      id,
      timestamp,
      signature,
      secret,
      body,
    ],
  },
  {
    file: "verify.go",
    prepare: () => {
      mkdirSync(join(folder, "webhook"));
      copyFileSync(join(SNIPPETS, "verify.go"), join(folder, "webhook/verify.go"));
      writeFileSync(join(folder, "go.mod"), "module verify\n\ngo 1.21\n");
      writeFileSync(join(folder, "main.go"), GO);
      built("go", ["build", ...GO_BUILD, "-o", "verify", "."], folder);
    },
    command: ({ id, timestamp, signature, secret }, body) => [
      join(folder, "verify"),
      id,
      timestamp,
      signature,
      secret,
      body,
    ],
  },
  {
    file: "verify.rb",
    command: ({ id, timestamp, signature, secret }, body) => [
      "ruby",
      "-e",
      RUBY,
      join(SNIPPETS, "verify.rb"),
      id,
      timestamp,
      signature,
      secret,
      body,
    ],
  },
  {
    file: "verify.php",
    command: ({ id, timestamp, signature, secret }, body) => [
      "php",
      "-r",
      PHP,
      "--",
      join(SNIPPETS, "verify.php"),
      id,
      timestamp,
      signature,
      secret,
      body,
    ],
  },
  {
    file: "Verify.java",
    prepare: () => {
      mkdirSync(join(folder, "java"));
      copyFileSync(join(SNIPPETS, "Verify.java"), join(folder, "java/Verify.java"));
      writeFileSync(join(folder, "java/Main.java"), JAVA);
      built("javac", ["-encoding", "UTF-8", "Main.java", "Verify.java"], join(folder, "java"));
    },
    command: ({ id, timestamp, signature, secret }, body) => [
      "java",
      "-Xshare:auto",
      "-XX:TieredStopAtLevel=1",
      // The system's locale decides how it reads arguments otherwise.
      "-Dsun.jnu.encoding=UTF-8",
      "-cp",
      join(folder, "java"),
      "Main",
      id,
      timestamp,
      signature,
      secret,
      body,
    ],
  },
  {
    file: "Verify.cs",
    prepare: () => {
      mkdirSync(join(folder, "cs"));
      copyFileSync(join(SNIPPETS, "Verify.cs"), join(folder, "cs/Verify.cs"));
      writeFileSync(join(folder, "cs/Program.cs"), CSHARP);
      writeFileSync(join(folder, "cs/cs.csproj"), CSHARP_PROJECT);
      built("dotnet", ["build", "-o", "out"], join(folder, "cs"));
    },
    command: ({ id, timestamp, signature, secret }, body) => [
      "dotnet",
      join(folder, "cs/out/cs.dll"),
      id,
      timestamp,
      signature,
      secret,
      body,
    ],
  },
  {
    file: "verify.sh",
    command: ({ id, timestamp, signature }, body) => [
      "bash",
      join(SNIPPETS, "verify.sh"),
      id,
      timestamp,
      signature,
      body,
    ],
  },
];

function accepts(language: Language, given: Given): boolean {
  const bodyFile = join(folder, "body");
  writeFileSync(bodyFile, given.body);
  const [program = "", ...args] = language.command(given, bodyFile);
  const env = { ...process.env, SECRET: given.secret };
  const { status, stderr, error } = spawnSync(program, args, { encoding: "utf8", env });
  if (error || (status !== 0 && status !== 1) || stderr) throw new Error(`${status} ${stderr}`, { cause: error });
  return status === 0;
}

async function genuine(secret: string, ageSeconds = 0): Promise<Given> {
  const timestamp = Math.floor(Date.now() / 1000) - ageSeconds;
  const body = '{"order":42,"note":"naïve ✓"}\n';
  return {
    id: "msg_1",
    timestamp: String(timestamp),
    signature: await signStandard(secret, "msg_1", timestamp, body),
    body,
    secret,
  };
}

/** Expects that the program accepts genuine deliveries and no others. */
async function tellsDeliveriesApart(language: Language): Promise<void> {
  language.prepare?.();
  for (const secret of ["a-signing-secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "é $(x) ☃"]) {
    expect(accepts(language, await genuine(secret))).toBe(true);
  }
  const given = await genuine("a-signing-secret");
  expect(accepts(language, { ...given, signature: `v1,AAAA v1a,${given.signature} ${given.signature}` })).toBe(true);
  expect(accepts(language, { ...given, body: given.body.replace("42", "43") })).toBe(false);
  expect(accepts(language, { ...given, id: "msg_2" })).toBe(false);
  expect(accepts(language, { ...given, secret: "other" })).toBe(false);
  expect(accepts(language, { ...given, signature: "" })).toBe(false);
  for (const timestamp of ["", "soon", "9".repeat(30)]) expect(accepts(language, { ...given, timestamp })).toBe(false);
  for (const seconds of [310, -310]) expect(accepts(language, await genuine("s", seconds))).toBe(false);
  for (const seconds of [290, -290]) expect(accepts(language, await genuine("s", seconds))).toBe(true);
}

export function deliveries(): void {
  afterAll(() => rmSync(folder, { recursive: true }));

  describe.each(languages)("$file", (language) => {
    test.skipIf(!canRun(language.file))(`(needs ${TOOLS[language.file][0]}) tells genuine deliveries from others`, () =>
      tellsDeliveriesApart(language),
    );
  });

  test.each(["verify.ts", ...languages.map(({ file }) => file)])("the page shows %s as it is", (file) => {
    expect(readFileSync("src/docs/pages/verify.md", "utf8")).toContain(
      `\`\`\`${file.split(".")[1]}\n${readFileSync(join(SNIPPETS, file), "utf8")}\`\`\`\n`,
    );
  });
}
