/** The commands of src/docs/pages/quick-start.md, run as they are printed on the page. */
import { type ChildProcess, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { freePort } from "../browser/dev-server.ts";

const folder = mkdtempSync(join(tmpdir(), "postern-quick-start-"));
const running: Terminal[] = [];

interface Terminal {
  process: ChildProcess;
  ended: Promise<unknown>;
  type(commands: string): void;
  /** Resolves with the first match in what the terminal has printed. Rejects when the terminal ends before that. */
  printed(pattern: RegExp): Promise<RegExpMatchArray>;
}

afterAll(async () => {
  for (const { process: bash, ended } of running) {
    if (bash.pid && bash.exitCode === null) process.kill(-bash.pid, "SIGTERM");
    await ended;
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
});

/** A shell in a process group of its own, so that one signal ends everything it started. */
function openTerminal(): Terminal {
  const bash = spawn("bash", [], { stdio: ["pipe", "pipe", "pipe"], detached: true });
  let output = "";
  const onOutput = new Set<() => void>();
  for (const stream of [bash.stdout, bash.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      for (const look of onOutput) look();
    });
  }
  const ended = new Promise((resolve) => bash.once("exit", resolve));
  const terminal: Terminal = {
    process: bash,
    ended,
    type: (commands) => void bash.stdin.write(`${commands}\n`),
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = output.match(pattern);
          if (match) resolve(match);
        };
        onOutput.add(look);
        void ended.then(() => reject(new Error(`ended before it printed ${pattern}:\n${output}`)));
        look();
      }),
  };
  running.push(terminal);
  return terminal;
}

/** The page's shell blocks. Only ports and paths differ from the page; dependencies are installed already. */
async function blocks(): Promise<[service: string, receiver: string, steps: string, program: string]> {
  const [servicePort, receiverPort] = [String(await freePort()), String(await freePort())];
  const page = readFileSync("src/docs/pages/quick-start.md", "utf8")
    .replace("npm ci\n", "")
    .replace(
      "npm run dev -- --fresh 2",
      `npm run dev -- --fresh --port ${servicePort} --inspector-port 0 --persist-to ${folder}/state 2`,
    )
    .replace("npm run receiver\n", `npm run receiver -- --port ${receiverPort}\n`)
    .replaceAll("8787", servicePort)
    .replaceAll("9000", receiverPort)
    .replaceAll("dev.log", `${folder}/dev.log`);
  const found = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
  expect(found).toHaveLength(4);
  return found as [string, string, string, string];
}

test("the quick start leads to a delivery with the right signature", async () => {
  const [service, receiver, steps, program] = await blocks();
  const [first, second, third] = [openTerminal(), openTerminal(), openTerminal()];
  first.type(service);
  second.type(receiver);
  await Promise.all([first.printed(/Postern is listening on/), second.printed(/Receiver on/)]);

  const [beforeReading = "", reading = ""] = steps.split(/(?=# 6\.)/);
  third.type(beforeReading);
  await third.printed(/Email verified successfully\./);
  await second.printed(/"signature":"valid","answered":200,"body":"\{\\"order\\":42,\\"note\\":\\"naïve ✓\\"\}"/);
  third.type(reading);
  await third.printed(/"eventType":"OrderPaid"/);
  const expected = createHmac("sha256", "quickstart-secret").update('msg_1.1700000000.{"order":42,"note":"naïve ✓"}');
  await third.printed(new RegExp(expected.digest("base64").replaceAll("+", "\\+")));

  third.type(program);
  await second.printed(/"signature":"valid","answered":200,"body":"\{\\"order\\":43\}"/);
});
